import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY } from "../../../src/lib/time.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { TCB_STATUSES } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import { verifyQuote } from "../../../src/tee/quote/verify.ts";
import type { CheckName, QuotePolicy } from "../../../src/tee/quote/evidence.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKnobs } from "../../support/quote-pki.ts";
import { assertFaults, evidenceOf, verifyKit } from "./fixture.ts";
import type { Negative } from "./fixture.ts";

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

const ATTRIBUTES: readonly Negative[] = [
  ["runs under debug", { report: { tdAttributes: "0100001000000000" } }, ["td_attributes"], /under debug/],
  [
    "has another bit of the same group",
    { report: { tdAttributes: "1000001000000000" } },
    ["td_attributes"],
    /unknown bits/,
  ],
  [
    "has a reserved bit",
    { report: { tdAttributes: "0000001001000000" } },
    ["td_attributes"],
    /unknown bits/,
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

  for (const [title, knobs, checks, detail] of ATTRIBUTES) {
    test(`refuses a trust domain that ${title}`, () => assertFaults(verifyKit(knobs), checks, detail));
  }

  test("refuses certificates of another root than the one given, and every root but Intel's when none is given", () => {
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
    test(`passes a platform that is ${status} only if the policy allows it`, () => {
      const kit = makeQuoteKit({ tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = status) });
      const strict = verifyQuote(evidenceOf(kit));
      assertFaults(strict, status === "UpToDate" ? [] : ["tcb_status"]);
      assert.equal(strict.tcb?.status, status);
      const allowed = verifyQuote(evidenceOf(kit, { policy: { ...STRICT_POLICY, statuses } }));
      assertFaults(allowed, status === "Revoked" ? ["tcb_status"] : []);
      const others = TCB_STATUSES.filter((other) =>
        other !== status && other !== "Revoked"
      ) as QuotePolicy["statuses"];
      assertFaults(verifyQuote(evidenceOf(kit, { policy: { ...STRICT_POLICY, statuses: others } })), [
        "tcb_status",
      ]);
    });
  }

  test("uses the worst status of platform, TDX module and quoting enclave", () => {
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

  test("refuses collateral of an older evaluation than the policy requires", () => {
    const evaluations = (info: number, identity: number): QuoteKnobs => ({
      tcbInfo: (all) => void (all.tcbEvaluationDataNumber = info),
      qeIdentity: (all) => void (all.tcbEvaluationDataNumber = identity),
    });
    const policy = { ...STRICT_POLICY, leastEvaluation: 18 };
    assertFaults(verifyKit(evaluations(18, 18), { policy }), []);
    assertFaults(verifyKit(evaluations(17, 18), { policy }), ["tcb_info"], /evaluation number 17/);
    assertFaults(verifyKit(evaluations(18, 17), { policy }), ["qe_identity"], /evaluation number 17/);
  });

  test("passes a trust domain without SEPT_VE_DISABLE if the policy allows it, but not one under debug", () => {
    const policy = { ...STRICT_POLICY, septVe: "any" } as const;
    assertFaults(verifyKit({ report: { tdAttributes: "0000000000000000" } }, { policy }), []);
    assertFaults(verifyKit({ report: { tdAttributes: "0100000000000000" } }, { policy }), ["td_attributes"]);
  });

  test("is strict for an untyped policy that is empty, or accepts what is revoked", () => {
    const given = (policy: object, knobs: QuoteKnobs = {}): QuoteVerification =>
      verifyKit(knobs, { policy: policy as QuotePolicy });
    assertFaults(given({ ...STRICT_POLICY, leastEvaluation: NaN }), ["qe_identity", "tcb_info"]);
    const isOpen = { report: { tdAttributes: "0000000000000000" } };
    assertFaults(given({ ...STRICT_POLICY, septVe: undefined }, isOpen), ["td_attributes"]);
    const isRevoked: QuoteKnobs = { tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = "Revoked") };
    assertFaults(given({ ...STRICT_POLICY, statuses: TCB_STATUSES }, isRevoked), ["tcb_status"]);
  });

  test("throws a RangeError for an invalid time", () => {
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

  test("passes only while all of the evidence is in force", () => {
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
