import { describe, test } from "node:test";
import { DAY } from "../../../src/lib/time.ts";
import { encodeExtension, QUOTE_NOW } from "../../support/quote-certificates.ts";
import { assertFaults, EXPIRED, TO_COME, verifyKit } from "./fixture.ts";
import type { Negative } from "./fixture.ts";

const UNKNOWN_EXTENSION = encodeExtension("2b0601", "critical", Uint8Array.of(5, 0));
/** issuingDistributionPoint: a partial list (RFC 5280 section 5.2.5). */
const PARTIAL_LIST = encodeExtension("551d1c", "critical", Uint8Array.of(0x30, 3, 0x81, 1, 0xff));
const DELTA_LIST = encodeExtension("551d1b", "critical", Uint8Array.of(2, 1, 1));

const CERTIFICATES: readonly Negative[] = [
  [
    "the PCK certificate expired",
    { pckCertificate: EXPIRED },
    ["pck_chain"],
    /PCK Certificate expired at 2026-06-14/,
  ],
  [
    "the PCK certificate is not valid yet",
    { pckCertificate: TO_COME },
    ["pck_chain"],
    /not valid before 2026-06-16/,
  ],
  ["its authority expired", { platformCa: EXPIRED }, ["pck_chain"], /Platform CA expired/],
  ["its authority is to come", { platformCa: TO_COME }, ["pck_chain"], /Platform CA is not valid before/],
  [
    "the root expired",
    { root: EXPIRED },
    ["pck_chain", "qe_identity", "tcb_info"],
    /Root CA expired/,
  ],
  [
    "another key signed the PCK certificate",
    { pckCertificate: { signer: "stranger" } },
    ["pck_chain"],
    /PCK Certificate is not signed by/,
  ],
  [
    "another key signed its authority",
    { platformCa: { signer: "stranger" } },
    ["pck_chain"],
    /Platform CA is not signed by/,
  ],
  ["the PCK certificate names another issuer", { pckCertificate: { issuerName: "SYNTHETIC SGX Root CA" } }, [
    "pck_chain",
  ], /names another issuer/],
  [
    "the authority names another issuer",
    { platformCa: { issuerName: "Other CA" } },
    ["pck_chain"],
    /names another issuer/,
  ],
  [
    "the authority is none",
    { platformCa: { isAuthority: false, pathLength: undefined } },
    ["pck_chain"],
    /may not sign/,
  ],
  [
    "the authority may not sign certificates",
    { platformCa: { keyUsage: "0102" } },
    ["pck_chain"],
    /may not sign/,
  ],
  ["the authority may not sign lists", { platformCa: { keyUsage: "0204" } }, ["pck_chain"], /may not sign/],
  [
    "the root may have no authority below",
    { root: { pathLength: 0 } },
    ["pck_chain"],
    /may not have authorities below/,
  ],
  [
    "the PCK certificate is an authority's",
    { pckCertificate: { isAuthority: true } },
    ["pck_chain"],
    /may not sign data/,
  ],
  [
    "the PCK certificate may not sign data",
    { pckCertificate: { keyUsage: "0520" } },
    ["pck_chain"],
    /may not sign data/,
  ],
  ["the PCK certificate is another's", { pckCertificate: { commonName: "SYNTHETIC SGX TCB Signing" } }, [
    "pck_chain",
  ], /is in the place of SGX PCK Certificate/],
  [
    "the authority is another's",
    { platformCa: { commonName: "SYNTHETIC CA" }, pckCertificate: { issuerName: "SYNTHETIC CA" } },
    ["pck_chain", "pck_crl"],
    /is in the place of SGX PCK Platform CA/,
  ],
  [
    "the chain ends early",
    { chain: ([leaf, authority]) => [leaf!, authority!] },
    ["pck_chain"],
    /2 certificates instead of 3/,
  ],
  [
    "the chain is too long",
    { chain: (list) => [...list, list[2]!] },
    ["pck_chain"],
    /4 certificates instead of 3/,
  ],
  ["the chain is the wrong way round", { chain: (list) => list.toReversed() }, [
    "pck_chain",
    "qe_report",
    "tcb_info",
    "tcb_status",
  ], /ends in another root/],
  ["an extension is critical and not known", { platformCa: { extensions: [UNKNOWN_EXTENSION] } }, [
    "pck_chain",
    "pck_crl",
    "root_crl",
    "qe_report",
    "tcb_info",
    "tcb_status",
  ], /unknown critical extension/],
  ["the PCK certificate has no SGX extension", { hasSgxExtension: false }, [
    "pck_chain",
    "tcb_info",
    "tcb_status",
  ], /has no SGX extension/],
  ["the key of the PCK certificate is another's", { pckCertificate: { subjectKey: "stranger" } }, [
    "qe_report",
  ], /not signed by the PCK/],
];

const REVOCATION: readonly Negative[] = [
  [
    "the PCK certificate is revoked",
    { pckCrl: { serials: ["0500dd", "0300bb01"] } },
    ["pck_crl"],
    /PCK Certificate is revoked/,
  ],
  ["its authority is revoked", { rootCrl: { serials: ["0200aa"] } }, ["root_crl"], /Platform CA is revoked/],
  [
    "the signer of TCB info is revoked",
    { rootCrl: { serials: ["0400cc"] } },
    ["root_crl"],
    /TCB Signing is revoked/,
  ],
  ["the root is revoked", { rootCrl: { serials: ["01"] } }, ["root_crl"], /Root CA is revoked/],
  [
    "the PCK list is stale",
    { pckCrl: { nextUpdate: QUOTE_NOW } },
    ["pck_crl"],
    /was due for renewal at 2026-06-15/,
  ],
  ["the root's list is stale", { rootCrl: { nextUpdate: QUOTE_NOW } }, ["root_crl"], /was due for renewal/],
  [
    "the PCK list is not valid yet",
    { pckCrl: { thisUpdate: QUOTE_NOW + DAY } },
    ["pck_crl"],
    /which is in the future/,
  ],
  [
    "the root's list is not valid yet",
    { rootCrl: { thisUpdate: QUOTE_NOW + DAY } },
    ["root_crl"],
    /which is in the future/,
  ],
  [
    "another key signed the PCK list",
    { pckCrl: { signer: "stranger" } },
    ["pck_crl"],
    /is not signed by that issuer/,
  ],
  [
    "the root signed the PCK list",
    { pckCrl: { signer: "root" } },
    ["pck_crl"],
    /is not signed by that issuer/,
  ],
  [
    "another key signed the root's list",
    { rootCrl: { signer: "stranger" } },
    ["root_crl"],
    /is not signed by that issuer/,
  ],
  [
    "the PCK list names the root",
    { pckCrl: { issuerName: "SYNTHETIC SGX Root CA" } },
    ["pck_crl"],
    /of another issuer/,
  ],
  ["the PCK list is missing", { collateral: (all) => void (all.pck_crl = "") }, ["pck_crl"], /is missing/],
  [
    "the root's list is missing",
    { collateral: (all) => void (all.root_ca_crl = "") },
    ["root_crl"],
    /is missing/,
  ],
  [
    "the root's list stands for the PCK list",
    { collateral: (all) => void (all.pck_crl = all.root_ca_crl!) },
    ["pck_crl"],
    /of another issuer/,
  ],
  [
    "the PCK list is garbage",
    { collateral: (all) => void (all.pck_crl = "3003020100") },
    ["pck_crl"],
    /is malformed/,
  ],
  ["the PCK list is cut off", { collateral: (all) => void (all.pck_crl = all.pck_crl!.slice(0, -2)) }, [
    "pck_crl",
  ], /is malformed/],
  [
    "something follows the PCK list",
    { collateral: (all) => void (all.pck_crl += "0500") },
    ["pck_crl"],
    /is malformed/,
  ],
  [
    "the PCK list is of some certificates only",
    { pckCrl: { extensions: [PARTIAL_LIST] } },
    ["pck_crl"],
    /unknown critical extension/,
  ],
  [
    "the root's list is a difference only",
    { rootCrl: { extensions: [DELTA_LIST] } },
    ["root_crl"],
    /unknown critical extension/,
  ],
];

describe("verifyQuote()", () => {
  for (const [title, knobs, checks, detail] of [...CERTIFICATES, ...REVOCATION]) {
    test(`refuses a quote when ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }
});
