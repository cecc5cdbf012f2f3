import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY } from "../../../src/lib/time.ts";
import { utf8 } from "../../../src/lib/bytes.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral, TCB_STATUSES } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY, verifyQuote } from "../../../src/tee/quote/verify.ts";
import type { CheckName, Policy, QuoteEvidence, QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { keyQuoteReportData } from "../../../src/tee/report-data.ts";
import { encodeExtension, QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKit, QuoteKnobs } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD, faultsOf } from "./fixture.ts";

function evidenceOf(kit: QuoteKit, changes: Partial<QuoteEvidence> = {}): QuoteEvidence {
  return {
    quote: kit.quote,
    collateral: parseCollateral(kit.collateral),
    now: kit.now,
    root: parseRoot(kit.root),
    policy: STRICT_POLICY,
    expectations: ANY_WORKLOAD,
    ...changes,
  };
}

function verifyKit(knobs: QuoteKnobs, changes: Partial<QuoteEvidence> = {}): QuoteVerification {
  return verifyQuote(evidenceOf(makeQuoteKit(knobs), changes));
}

/** The named checks and no others fail or are not made, and so the whole does not pass. */
function assertFaults(found: QuoteVerification, expected: readonly CheckName[], detail?: RegExp): void {
  assert.deepEqual(faultsOf(found).map(({ name }) => name), expected);
  assert.equal(found.passed, expected.length === 0);
  if (detail !== undefined) assert.match(faultsOf(found)[0]!.detail, detail);
}

const SOUND: Readonly<Record<string, QuoteKnobs>> = {
  "of version 4": {},
  "of version 5 with a TDX 1.0 report": { version: 5, bodyType: 2 },
  "of version 5 with a TDX 1.5 report": { version: 5, bodyType: 3 },
  "whose certificates come from a processor's authority": {
    platformCa: { commonName: "SYNTHETIC SGX PCK Processor CA" },
    pckCertificate: { issuerName: "SYNTHETIC SGX PCK Processor CA" },
    pckCrl: { issuerName: "SYNTHETIC SGX PCK Processor CA" },
  },
  "of a platform newer than the highest level": { pck: { components: Array(16).fill(9), pceSvn: 300 } },
  "in the first and in the last moment of its certificates": {
    pckCertificate: { notBefore: QUOTE_NOW, notAfter: QUOTE_NOW },
    tcbSigning: { notBefore: QUOTE_NOW, notAfter: QUOTE_NOW },
  },
  "where others are revoked": { pckCrl: { serials: ["0300bb02", "01"] }, rootCrl: { serials: ["0200ab"] } },
  "of the TDX module 3, whose minor version is below the level's first component": {
    report: { teeTcbSvn: "03030200000000000000000000000000" },
  },
  "of the TDX module 0, which the platform's level compares": {
    report: { teeTcbSvn: "05000200000000000000000000000000" },
  },
  "of a trust domain with PKS, KL and PERFMON": { report: { tdAttributes: "000000d000000080" } },
  "whose identity masks what differs": {
    qeReport: { attributes: "15000000000000000400000000000000" },
    qeIdentity: (identity) => {
      identity.attributes = "11000000000000000000000000000000";
    },
  },
};

/** What is wrong, which checks say so, and what the first of them says. */
type Negative = readonly [title: string, knobs: QuoteKnobs, checks: readonly CheckName[], detail: RegExp];

const AGAIN = { notBefore: QUOTE_NOW - 9 * DAY } as const;
const EXPIRED = { ...AGAIN, notAfter: QUOTE_NOW - DAY } as const;
const TO_COME = { notBefore: QUOTE_NOW + DAY } as const;
const UNKNOWN_EXTENSION = encodeExtension("2b0601", "critical", Uint8Array.of(5, 0));
/** issuingDistributionPoint: a list of only some certificates (RFC 5280 section 5.2.5). */
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
    "the PCK certificate is to come",
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
    "a stranger signed the PCK certificate",
    { pckCertificate: { signer: "stranger" } },
    ["pck_chain"],
    /PCK Certificate is not signed by/,
  ],
  [
    "a stranger signed its authority",
    { platformCa: { signer: "stranger" } },
    ["pck_chain"],
    /Platform CA is not signed by/,
  ],
  ["the PCK certificate names another issuer", { pckCertificate: { issuerName: "SYNTHETIC SGX Root CA" } }, [
    "pck_chain",
  ], /names another issuer/],
  [
    "the authority names another issuer",
    { platformCa: { issuerName: "Somebody" } },
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
    /is not made to sign data/,
  ],
  [
    "the PCK certificate may not sign data",
    { pckCertificate: { keyUsage: "0520" } },
    ["pck_chain"],
    /is not made to sign data/,
  ],
  ["the PCK certificate is another's", { pckCertificate: { commonName: "SYNTHETIC SGX TCB Signing" } }, [
    "pck_chain",
  ], /stands where SGX PCK Certificate must be/],
  [
    "the authority is another's",
    { platformCa: { commonName: "SYNTHETIC CA" }, pckCertificate: { issuerName: "SYNTHETIC CA" } },
    ["pck_chain", "pck_crl"],
    /stands where SGX PCK Platform CA/,
  ],
  [
    "the chain ends early",
    { chain: ([leaf, authority]) => [leaf!, authority!] },
    ["pck_chain"],
    /2 certificates where 3/,
  ],
  [
    "the chain is too long",
    { chain: (list) => [...list, list[2]!] },
    ["pck_chain"],
    /4 certificates where 3/,
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
  ["the PCK list is stale", { pckCrl: { nextUpdate: QUOTE_NOW } }, ["pck_crl"], /was due anew at 2026-06-15/],
  ["the root's list is stale", { rootCrl: { nextUpdate: QUOTE_NOW } }, ["root_crl"], /was due anew/],
  ["the PCK list is to come", { pckCrl: { thisUpdate: QUOTE_NOW + DAY } }, ["pck_crl"], /which is to come/],
  [
    "the root's list is to come",
    { rootCrl: { thisUpdate: QUOTE_NOW + DAY } },
    ["root_crl"],
    /which is to come/,
  ],
  ["a stranger signed the PCK list", { pckCrl: { signer: "stranger" } }, ["pck_crl"], /is not signed by it/],
  ["the root signed the PCK list", { pckCrl: { signer: "root" } }, ["pck_crl"], /is not signed by it/],
  [
    "a stranger signed the root's list",
    { rootCrl: { signer: "stranger" } },
    ["root_crl"],
    /is not signed by it/,
  ],
  [
    "the PCK list names the root",
    { pckCrl: { issuerName: "SYNTHETIC SGX Root CA" } },
    ["pck_crl"],
    /another issuer's/,
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
    /another issuer's/,
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

const QUOTING_ENCLAVE: readonly Negative[] = [
  [
    "a stranger signed the report",
    { signers: { qeReport: "stranger" } },
    ["qe_report"],
    /not signed by the PCK/,
  ],
  [
    "the report binds another key",
    { qeReport: { reportData: "00".repeat(64) } },
    ["qe_report"],
    /another attestation key/,
  ],
  ["its signer is another", { qeReport: { mrSigner: "dd".repeat(32) } }, ["qe_identity"], /another signer/],
  ["it is another product", { qeReport: { isvProdId: 1 } }, ["qe_identity"], /another product/],
  ["its MISCSELECT is another", { qeReport: { miscSelect: "01000000" } }, ["qe_identity"], /MISCSELECT/],
  [
    "it runs under debug",
    { qeReport: { attributes: "13000000000000000000000000000000" } },
    ["qe_identity"],
    /other attributes/,
  ],
  [
    "it is older than any level",
    { qeReport: { isvSvn: 1 } },
    ["qe_identity", "tcb_status"],
    /No TCB level holds for the quoting enclave/,
  ],
  ["it is out of date", { qeReport: { isvSvn: 3 } }, ["tcb_status"], /quoting enclave OutOfDate/],
  [
    "a stranger signed its identity",
    { signers: { qeIdentity: "stranger" } },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
  [
    "the PCK key signed its identity",
    { signers: { qeIdentity: "pck" } },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
  ["its identity is stale", { qeIdentity: (all) => void (all.nextUpdate = "2026-06-15T00:00:00Z") }, [
    "qe_identity",
  ], /was due anew/],
  ["its identity is to come", { qeIdentity: (all) => void (all.issueDate = "2026-06-15T00:00:01Z") }, [
    "qe_identity",
  ], /which is to come/],
  [
    "its identity is SGX's",
    { qeIdentity: (all) => void (all["id"] = "QE") },
    ["qe_identity", "tcb_status"],
    /id is not TD_QE/,
  ],
  ["its identity is of another version", { qeIdentity: (all) => void (all["version"] = 3) }, [
    "qe_identity",
    "tcb_status",
  ], /version is not 2/],
  [
    "its identity was changed",
    { collateral: (all) => void (all.qe_identity += " ") },
    ["qe_identity"],
    /QE identity is not signed by/,
  ],
];

const TCB: readonly Negative[] = [
  [
    "a stranger signed the quote",
    { signers: { quote: "stranger" } },
    ["quote_signature"],
    /not signed by the attestation key/,
  ],
  [
    "a stranger signed TCB info",
    { signers: { tcbInfo: "stranger" } },
    ["tcb_info"],
    /TCB info is not signed by/,
  ],
  ["the PCK key signed TCB info", { signers: { tcbInfo: "pck" } }, ["tcb_info"], /TCB info is not signed by/],
  [
    "TCB info is stale",
    { tcbInfo: (all) => void (all.nextUpdate = "2026-06-15T00:00:00Z") },
    ["tcb_info"],
    /was due anew/,
  ],
  [
    "TCB info is to come",
    { tcbInfo: (all) => void (all.issueDate = "2026-06-15T00:00:01Z") },
    ["tcb_info"],
    /which is to come/,
  ],
  [
    "TCB info was changed",
    { collateral: (all) => void (all.tcb_info = all.tcb_info!.replace("OutOfDate", "UpToDate")) },
    ["tcb_info"],
    /TCB info is not signed by/,
  ],
  [
    "TCB info is of another platform",
    { tcbInfo: (all) => void (all.fmspc = "90C06F000001") },
    ["tcb_info"],
    /TCB info is of platform 90c06f000001/,
  ],
  [
    "TCB info is of another PCE",
    { tcbInfo: (all) => void (all.pceId = "0001") },
    ["tcb_info"],
    /TCB info is of platform/,
  ],
  ["TCB info is SGX's", { tcbInfo: (all) => void (all["id"] = "SGX") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /id is not TDX/],
  ["TCB info is of another version", { tcbInfo: (all) => void (all["version"] = 4) }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /version is not 3/],
  ["TCB info is compared in another way", { tcbInfo: (all) => void (all["tcbType"] = 1) }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /tcbType is not 0/],
  ["TCB info is no JSON", { collateral: (all) => void (all.tcb_info = "{") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is no JSON/],
  ["a level has 15 components", { tcbInfo: (all) => void all.tcbLevels[1]!.tcb.tdxtcbcomponents.pop() }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is not 16 components/],
  ["a status is not known", { tcbInfo: (all) => void (all.tcbLevels[0]!.tcbStatus = "Fine") }, [
    "tcb_info",
    "tdx_module",
    "tcb_status",
  ], /is not one of/],
  [
    "the signer's certificate expired",
    { tcbSigning: EXPIRED },
    ["qe_identity", "tcb_info"],
    /TCB Signing expired/,
  ],
  [
    "the signer's certificate is to come",
    { tcbSigning: TO_COME },
    ["qe_identity", "tcb_info"],
    /not valid before/,
  ],
  [
    "a stranger certified the signer",
    { tcbSigning: { signer: "stranger" } },
    ["qe_identity", "tcb_info"],
    /TCB Signing is not signed by/,
  ],
  ["the signer is another", { tcbSigning: { commonName: "SYNTHETIC SGX PCK Certificate" } }, [
    "qe_identity",
    "tcb_info",
  ], /stands where SGX TCB Signing/],
  [
    "the signer's chain is missing",
    { tcbSigningChain: () => [] },
    ["root_crl", "qe_identity", "tcb_info"],
    /Needs the chain of TCB info/,
  ],
  [
    "one SGX component is below every level",
    { pck: { components: [1, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } },
    ["tcb_status"],
    /No TCB level holds for the platform/,
  ],
  [
    "the PCE is below every level",
    { pck: { pceSvn: 12 } },
    ["tcb_status"],
    /No TCB level holds for the platform/,
  ],
  ["one TDX component is below every level", { report: { teeTcbSvn: "05010100000000000000000000000000" } }, [
    "tcb_status",
  ], /No TCB level holds for the platform/],
  [
    "the platform is one step back",
    { pck: { components: [2, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } },
    ["tcb_status"],
    /platform OutOfDate.*INTEL-SA-00001/,
  ],
  ["the TDX module is out of date", { report: { teeTcbSvn: "03010200000000000000000000000000" } }, [
    "tcb_status",
  ], /TDX module OutOfDate/],
  ["the TDX module is older than any level", { report: { teeTcbSvn: "01010200000000000000000000000000" } }, [
    "tdx_module",
    "tcb_status",
  ], /No TCB level holds for the TDX module TDX_01/],
  ["the TDX module is not known", { report: { teeTcbSvn: "05020200000000000000000000000000" } }, [
    "tdx_module",
    "tcb_status",
  ], /does not know the TDX module TDX_02/],
  [
    "the TDX module 0 is below the level's first component",
    { report: { teeTcbSvn: "04000200000000000000000000000000" } },
    ["tcb_status"],
    /No TCB level holds for the platform/,
  ],
  [
    "the TDX module has a signer",
    { report: { mrSignerSeam: "01" } },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants a signer of the TDX module",
    { tcbInfo: (all) => void (all.tdxModuleIdentities[1]!.mrsigner = "01".repeat(48)) },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "the TDX module has a signer that TCB info wants",
    {
      report: { mrSignerSeam: "01".repeat(48) },
      tcbInfo: (all) =>
        [all.tdxModule, ...all.tdxModuleIdentities].forEach((one) => one.mrsigner = "01".repeat(48)),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants attributes of the TDX module",
    {
      tcbInfo: (all) => void (all.tdxModuleIdentities[1]!.attributes = "0000000000000001"),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has other attributes/,
  ],
  [
    "TCB info wants a signer of the TDX module 0",
    {
      report: { teeTcbSvn: "05000200000000000000000000000000" },
      tcbInfo: (all) => void (all.tdxModule.mrsigner = "01".repeat(48)),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has another signer/,
  ],
  [
    "TCB info wants attributes of the TDX module 0",
    {
      report: { teeTcbSvn: "05000200000000000000000000000000" },
      tcbInfo: (all) => void (all.tdxModule.attributes = "0000000000000001"),
    },
    ["tdx_module", "tcb_status"],
    /TDX module has other attributes/,
  ],
  ["the TDX module has attributes", { report: { seamAttributes: "0000000000000080" } }, [
    "tdx_module",
    "tcb_status",
  ], /TDX module has other attributes/],
];

const ATTRIBUTES: readonly Negative[] = [
  ["runs under debug", { report: { tdAttributes: "0100001000000000" } }, ["td_attributes"], /under debug/],
  [
    "has another bit of the same group",
    { report: { tdAttributes: "1000001000000000" } },
    ["td_attributes"],
    /bits that are not known/,
  ],
  [
    "has a reserved bit",
    { report: { tdAttributes: "0000001001000000" } },
    ["td_attributes"],
    /bits that are not known/,
  ],
  [
    "may be moved",
    { report: { tdAttributes: "0000003000000000" } },
    ["td_attributes"],
    /moved to another machine/,
  ],
  [
    "has no SEPT_VE_DISABLE",
    { report: { tdAttributes: "0000000000000000" } },
    ["td_attributes"],
    /SEPT_VE_DISABLE/,
  ],
  ["has a service trust domain", { version: 5, bodyType: 3, report: { mrServiceTd: "01" } }, [
    "td_attributes",
  ], /service trust domain/],
];

describe("verifyQuote()", () => {
  for (const [title, knobs] of Object.entries(SOUND)) {
    test(`passes a quote ${title}`, () => assertFaults(verifyKit(knobs), []));
  }

  for (const [title, knobs, checks, detail] of [...CERTIFICATES, ...REVOCATION, ...TCB]) {
    test(`refuses a quote when ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }

  for (const [title, knobs, checks, detail] of QUOTING_ENCLAVE) {
    test(`refuses a quoting enclave when ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }

  for (const [title, knobs, checks, detail] of ATTRIBUTES) {
    test(`refuses a trust domain that ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }

  test("refuses certificates of another root than the one given, and everything but Intel's when none is", () => {
    const [kit, other] = [
      makeQuoteKit(),
      makeQuoteKit({ root: { subjectKey: "stranger", signer: "stranger" } }),
    ];
    const byRoot: readonly CheckName[] = ["pck_chain", "root_crl", "qe_identity", "tcb_info"];
    assertFaults(
      verifyQuote(evidenceOf(kit, { root: parseRoot(other.root) })),
      byRoot,
      /ends in another root/,
    );
    const { root: _, ...withoutRoot } = evidenceOf(kit);
    assertFaults(verifyQuote(withoutRoot), byRoot, /ends in another root than Intel SGX Root CA/);
  });

  test("refuses a root of the same name with another key, and of the same key with another name", () => {
    for (const root of [{ subjectKey: "stranger" }, { commonName: "ANOTHER SGX Root CA" }] as const) {
      const other = makeQuoteKit({ root });
      assert.equal(verifyQuote(evidenceOf(makeQuoteKit(), { root: parseRoot(other.root) })).passed, false);
    }
  });

  for (const status of TCB_STATUSES) {
    const statuses = status === "Revoked" ? [] : [status];
    test(`lets a platform that is ${status} pass only when the policy says so`, () => {
      const kit = makeQuoteKit({ tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = status) });
      const strict = verifyQuote(evidenceOf(kit));
      assertFaults(strict, status === "UpToDate" ? [] : ["tcb_status"]);
      assert.equal(strict.tcb?.status, status);
      const allowed = verifyQuote(evidenceOf(kit, { policy: { ...STRICT_POLICY, statuses } }));
      assertFaults(allowed, status === "Revoked" ? ["tcb_status"] : []);
      const others = TCB_STATUSES.filter((other) =>
        other !== status && other !== "Revoked"
      ) as Policy["statuses"];
      assertFaults(verifyQuote(evidenceOf(kit, { policy: { ...STRICT_POLICY, statuses: others } })), [
        "tcb_status",
      ]);
    });
  }

  test("takes the worst of platform, TDX module and quoting enclave", () => {
    const cases = [
      ["UpToDate", "UpToDate", "OutOfDate", "OutOfDate"],
      ["UpToDate", "Revoked", "UpToDate", "Revoked"],
      ["UpToDate", "UpToDate", "Revoked", "Revoked"],
      ["SWHardeningNeeded", "OutOfDate", "UpToDate", "OutOfDate"],
      ["ConfigurationNeeded", "OutOfDate", "UpToDate", "OutOfDateConfigurationNeeded"],
      ["ConfigurationAndSWHardeningNeeded", "UpToDate", "OutOfDate", "OutOfDateConfigurationNeeded"],
      ["OutOfDate", "ConfigurationNeeded", "UpToDate", "OutOfDateConfigurationNeeded"],
      ["OutOfDateConfigurationNeeded", "OutOfDate", "OutOfDate", "OutOfDateConfigurationNeeded"],
      ["SWHardeningNeeded", "UpToDate", "ConfigurationNeeded", "ConfigurationAndSWHardeningNeeded"],
      ["Revoked", "UpToDate", "OutOfDate", "Revoked"],
    ] as const;
    for (const [platform, module, enclave, expected] of cases) {
      const { tcb } = verifyKit({
        tcbInfo: (info) => {
          info.tcbLevels[0]!.tcbStatus = platform;
          info.tdxModuleIdentities[1]!.tcbLevels[0]!.tcbStatus = module;
        },
        qeIdentity: (identity) => void (identity.tcbLevels[0]!.tcbStatus = enclave),
      });
      assert.equal(tcb?.status, expected, [platform, module, enclave].join(", "));
    }
  });

  test("refuses collateral of an older evaluation than the policy wants", () => {
    const evaluations = (info: number, identity: number): QuoteKnobs => ({
      tcbInfo: (all) => void (all.tcbEvaluationDataNumber = info),
      qeIdentity: (all) => void (all.tcbEvaluationDataNumber = identity),
    });
    const policy = { ...STRICT_POLICY, leastEvaluation: 18 };
    assertFaults(verifyKit(evaluations(18, 18), { policy }), []);
    assertFaults(verifyKit(evaluations(17, 18), { policy }), ["tcb_info"], /evaluation number 17/);
    assertFaults(verifyKit(evaluations(18, 17), { policy }), ["qe_identity"], /evaluation number 17/);
  });

  test("lets a trust domain without SEPT_VE_DISABLE pass when the policy says so, but not one under debug", () => {
    const policy = { ...STRICT_POLICY, septVe: "any" } as const;
    assertFaults(verifyKit({ report: { tdAttributes: "0000000000000000" } }, { policy }), []);
    assertFaults(verifyKit({ report: { tdAttributes: "0100000000000000" } }, { policy }), ["td_attributes"]);
  });

  test("is strict when a policy that no type allows says nothing, or accepts what is revoked", () => {
    const given = (policy: object, knobs: QuoteKnobs = {}): QuoteVerification =>
      verifyKit(knobs, { policy: policy as Policy });
    assertFaults(given({ ...STRICT_POLICY, leastEvaluation: NaN }), ["qe_identity", "tcb_info"]);
    const isOpen = { report: { tdAttributes: "0000000000000000" } };
    assertFaults(given({ ...STRICT_POLICY, septVe: undefined }, isOpen), ["td_attributes"]);
    const isRevoked: QuoteKnobs = { tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = "Revoked") };
    assertFaults(given({ ...STRICT_POLICY, statuses: TCB_STATUSES }, isRevoked), ["tcb_status"]);
  });

  test("throws a RangeError for a clock that is none", () => {
    const evidence = evidenceOf(makeQuoteKit());
    for (
      const now of [
        NaN,
        Infinity,
        -Infinity,
        1.5,
        2 ** 53,
        undefined as unknown as number,
        "1" as unknown as number,
      ]
    ) {
      assert.throws(() => verifyQuote({ ...evidence, now }), RangeError, String(now));
    }
  });

  test("holds at every moment at which all of it is in force, and at no other", () => {
    const evidence = evidenceOf(makeQuoteKit());
    const [from, until] = [QUOTE_NOW - 5 * DAY, QUOTE_NOW + 25 * DAY];
    for (const now of [from, from + 1, until - 1]) assert.ok(verifyQuote({ ...evidence, now }).passed);
    for (const now of [from - 1, until, 0, Number.MAX_SAFE_INTEGER]) {
      assert.ok(!verifyQuote({ ...evidence, now }).passed, String(now));
    }
  });

  test("reports every fault at once", () => {
    const found = verifyKit({
      report: { tdAttributes: "0100001000000000" },
      pckCrl: { serials: ["0300bb01"] },
      rootCrl: { nextUpdate: QUOTE_NOW },
      signers: { quote: "stranger", tcbInfo: "stranger" },
      qeReport: { mrSigner: "dd".repeat(32) },
    });
    assertFaults(found, [
      "pck_crl",
      "root_crl",
      "qe_identity",
      "quote_signature",
      "tcb_info",
      "td_attributes",
    ]);
  });

  test("does not depend on the kind of byte array", () => {
    const evidence = evidenceOf(makeQuoteKit({ version: 5, bodyType: 3 }));
    assert.deepEqual(verifyQuote({ ...evidence, quote: Buffer.from(evidence.quote) }), verifyQuote(evidence));
  });
});

const CLAIMS = utf8(
  JSON.stringify({ nonce: "bm9uY2U", address: "0xAbCd000000000000000000000000000000000001" }),
);

describe("verifyQuote() of a workload", () => {
  const kit = makeQuoteKit({ reportData: keyQuoteReportData(CLAIMS), report: { mrConfigId: "c0" } });
  const registers = {
    mrTd: new Uint8Array(48).fill(0xd0),
    rtmr0: new Uint8Array(48).fill(0xe0),
    rtmr1: new Uint8Array(48).fill(0xe1),
    rtmr2: new Uint8Array(48).fill(0xe2),
    rtmr3: new Uint8Array(48).fill(0xe3),
    mrConfigId: new Uint8Array(48).with(0, 0xc0),
  };
  const expectations = {
    registers,
    nonce: "bm9uY2U",
    address: "0xabcd000000000000000000000000000000000001",
  } as const;
  const evidence = evidenceOf(kit, { claims: CLAIMS, expectations });
  const names = {
    mrTd: "mrtd",
    rtmr0: "rtmr0",
    rtmr1: "rtmr1",
    rtmr2: "rtmr2",
    rtmr3: "rtmr3",
    mrConfigId: "mrconfigid",
  } as const;

  test("passes when registers, claims, nonce and address are the expected ones", () => {
    assertFaults(verifyQuote(evidence), []);
    assert.ok(verifyQuote(evidence).checks.every(({ verdict }) => verdict === "passed"));
  });

  test("checks nothing of it when nobody says what to expect, and does not pass", () => {
    const { claims: _, ...without } = evidence;
    const found = verifyQuote({ ...without, expectations: {} });
    assertFaults(found, [...Object.values(names), "report_data", "nonce", "address"]);
    assert.ok(faultsOf(found).every(({ verdict }) => verdict === "not_checked"));
  });

  for (const [register, name] of Object.entries(names)) {
    test(`refuses another ${name}, does not pass without it, and passes when it is waived`, () => {
      const { [register as keyof typeof registers]: value, ...others } = registers;
      const given = (expected: Uint8Array | "any"): QuoteVerification =>
        verifyQuote({
          ...evidence,
          expectations: { ...expectations, registers: { ...others, [register]: expected } },
        });
      assertFaults(given(value.with(47, 1)), [name], /which is not expected/);
      assertFaults(given(value.slice(0, 47)), [name]);
      assertFaults(given(new Uint8Array()), [name]);
      assertFaults(given("any"), []);
      assertFaults(
        verifyQuote({ ...evidence, expectations: { ...expectations, registers: others } }),
        [name],
        /Nobody said/,
      );
    });
  }

  test("refuses other claims, down to one byte, and claims that are no JSON", () => {
    for (let index = 0; index < CLAIMS.length; index++) {
      const claims = CLAIMS.with(index, CLAIMS[index]! ^ 1);
      assert.ok(faultsOf(verifyQuote({ ...evidence, claims })).some(({ name }) => name === "report_data"));
    }
    const claims = utf8("no JSON");
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const given = evidenceOf(other, {
      claims,
      expectations: { ...ANY_WORKLOAD, reportData: undefined as never, nonce: "a", address: "b" },
    });
    assertFaults(verifyQuote(given), ["nonce", "address"], /claims cannot be read/);
  });

  test("refuses another nonce and another address, and does not pass without them unless they are waived", () => {
    const given = (changes: object): QuoteVerification =>
      verifyQuote({ ...evidence, expectations: { ...expectations, ...changes } });
    assertFaults(given({ nonce: "bm9uY2V" }), ["nonce"], /another nonce/);
    assertFaults(given({ nonce: "" }), ["nonce"]);
    assertFaults(
      given({ address: "0xabcd000000000000000000000000000000000002" }),
      ["address"],
      /another address/,
    );
    assertFaults(given({ nonce: undefined, address: undefined }), ["nonce", "address"], /Nobody said/);
    assertFaults(given({ nonce: "any", address: "any" }), []);
  });

  test("says nothing with control characters or line ends of somebody else's", () => {
    const claims = utf8(JSON.stringify({ nonce: "a\nPASSED", address: "\u001b[2K\u202e0x01" }));
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const { registers } = ANY_WORKLOAD;
    for (const expectations of [{ registers }, { registers, nonce: "any", address: "any" }] as const) {
      for (const { detail } of verifyQuote(evidenceOf(other, { claims, expectations })).checks) {
        assert.match(detail, /^[\x20-\x7e]+$/);
      }
    }
  });

  test("refuses claims without a nonce when one is expected", () => {
    const claims = utf8(JSON.stringify({ nonce: null, address: "0x01" }));
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const expected = { registers: ANY_WORKLOAD.registers, nonce: "null", address: "any" } as const;
    assertFaults(
      verifyQuote(evidenceOf(other, { claims, expectations: expected })),
      ["nonce"],
      /have no nonce/,
    );
  });

  test("compares report data that are no claims' with the given ones", () => {
    const given = (reportData: Uint8Array): QuoteVerification =>
      verifyQuote({ ...evidence, expectations: { registers, reportData } });
    assertFaults(given(kit.reportData), []);
    assertFaults(
      given(kit.reportData.with(63, kit.reportData[63]! ^ 1)),
      ["report_data"],
      /other report data/,
    );
    assertFaults(given(kit.reportData.slice(0, 32)), ["report_data"]);
  });

  test("wants the event log that an application or its composition is expected in", () => {
    const given = verifyQuote({
      ...evidence,
      expectations: { ...expectations, appId: new Uint8Array(20), composeHash: new Uint8Array(32) },
    });
    assertFaults(given, ["event_log", "compose_hash", "app_id"], /There is no event log/);
  });
});
