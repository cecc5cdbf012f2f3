import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY } from "../../../src/lib/time.ts";
import { intelRoot } from "../../../src/tee/quote/intel-root.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import type { CheckName, QuotePolicy } from "../../../src/tee/quote/evidence.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKnobs } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD, assertFaults, evidenceOf, faultsOf, verifyKit } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

function verdictOf({ checks }: QuoteVerification, wanted: CheckName): string | undefined {
  return checks.find(({ name }) => name === wanted)?.verdict;
}

const OLD = new Date(QUOTE_NOW - DAY).toISOString().replace(".000Z", "Z");
const STALE: Readonly<Record<string, QuoteKnobs>> = {
  tcb_info: { tcbInfo: (info) => void (info.nextUpdate = OLD) },
  qe_identity: { qeIdentity: (identity) => void (identity.nextUpdate = OLD) },
  pck_crl: { pckCrl: { nextUpdate: QUOTE_NOW - DAY } },
  root_crl: { rootCrl: { nextUpdate: QUOTE_NOW - DAY } },
};

describe("verifyQuote() with stale collateral", () => {
  for (const [name, knobs] of Object.entries(STALE)) {
    test(`reports that only ${name} is stale`, () => {
      const found = verifyKit(knobs);
      assert.equal(found.passed, false);
      assert.ok(faultsOf(found).every(({ reason }) => reason === "stale_collateral"));
      assertFaults(found, [name as CheckName], /was due for renewal at/);
    });
  }

  test("does not report it if newer collateral would not help", () => {
    const broken: readonly QuoteKnobs[] = [
      { ...STALE["tcb_info"], signers: { tcbInfo: "stranger" } },
      { tcbInfo: (info) => Object.assign(info, { nextUpdate: OLD, fmspc: "00".repeat(6) }) },
      { qeIdentity: (identity) => Object.assign(identity, { nextUpdate: OLD, mrsigner: "01".repeat(32) }) },
      { pckCrl: { nextUpdate: QUOTE_NOW - DAY, serials: ["0300bb01"] } },
    ];
    for (const knobs of broken) {
      const [first] = faultsOf(verifyKit(knobs));
      assert.equal(first!.reason, undefined, first!.detail);
    }
  });

  test("reports the fault if a check depends on two others, one of them stale", () => {
    const found = verifyKit({ ...STALE["tcb_info"], qeReport: { mrSigner: "01".repeat(32) } });
    const status = found.checks.find(({ name }) => name === "tcb_status");
    assert.deepEqual([status?.verdict, status?.reason, status?.detail], [
      "not_checked",
      undefined,
      "Needs qe_identity, which did not pass",
    ]);
  });
});

describe("verifyQuote() with dependent checks", () => {
  test("does not pass levels of TCB info or a QE identity that failed", () => {
    for (const name of ["tcb_info", "qe_identity"] as const) {
      const found = verifyKit(STALE[name]!);
      assert.equal(verdictOf(found, "tcb_status"), "not_checked");
      assert.equal(verdictOf(found, "tdx_module"), name === "tcb_info" ? "not_checked" : "passed");
      assert.equal(found.tcb, undefined);
      assert.ok(
        !found.checks.some(({ name: one, detail }) => one === "tcb_status" && /UpToDate/.test(detail)),
      );
    }
    const signed = verifyKit({ signers: { tcbInfo: "stranger" } });
    assert.ok(!signed.checks.some(({ name, detail }) => name !== "qe_identity" && /UpToDate/.test(detail)));
  });

  test("does not pass claims that the quote does not cover", () => {
    const claims = new TextEncoder().encode('{"nonce":"n","address":"0x01"}');
    const { registers } = ANY_WORKLOAD;
    const expectations = { registers, nonce: "n", address: "0x01", keyProvider: "any" } as const;
    const found = verifyKit({}, { claims, expectations });
    assertFaults(found, ["report_data"]);
    for (const name of ["nonce", "address"] as const) assert.equal(verdictOf(found, name), "not_checked");
  });
});

describe("verifyQuote() of a service trust domain", () => {
  const [mine, other] = ["a5".repeat(48), "a6".repeat(48)];
  const bound = (mrServiceTd: string, tdAttributes = "0000001000000000"): QuoteKnobs => ({
    version: 5,
    bodyType: 3,
    report: { mrServiceTd, tdAttributes },
  });
  const policy = (serviceTd: QuotePolicy["serviceTd"]): QuotePolicy => ({ ...STRICT_POLICY, serviceTd });
  const pinned = policy(Uint8Array.fromHex(mine));
  const MOVABLE = "0000003000000000";

  test("passes with the pinned one, and with no other or none", () => {
    assertFaults(verifyKit(bound(mine), { policy: pinned }), []);
    assertFaults(verifyKit(bound(other), { policy: pinned }), ["td_attributes"], /a6a6.*not expected/);
    assertFaults(verifyKit(bound("00"), { policy: pinned }), ["td_attributes"], /not expected/);
    assertFaults(verifyKit({}, { policy: pinned }), ["td_attributes"], /does not name the bound service/);
    assertFaults(verifyKit(bound(mine)), ["td_attributes"], /is bound to this one: a5a5/);
    assertFaults(verifyKit(bound("00"), { policy: policy("none") }), []);
  });

  test("may be movable under a pinned one alone", () => {
    assertFaults(verifyKit(bound(mine, MOVABLE), { policy: pinned }), []);
    assertFaults(verifyKit(bound(other, MOVABLE), { policy: pinned }), ["td_attributes"]);
    assertFaults(verifyKit(bound(mine, MOVABLE)), ["td_attributes"], /may be moved/);
    assertFaults(verifyKit(bound("00", MOVABLE), { policy: policy("none") }), ["td_attributes"]);
    const untyped = policy(undefined as unknown as "none");
    assertFaults(verifyKit(bound(mine, MOVABLE), { policy: untyped }), ["td_attributes"]);
    assertFaults(verifyKit(bound(mine), { policy: untyped }), ["td_attributes"]);
  });
});

test("verifyQuote() compares MROWNER and MROWNERCONFIG if the caller expects them, and otherwise omits them", () => {
  const knobs = { report: { mrOwner: "0a".repeat(48), mrOwnerConfig: "0b".repeat(48) } };
  const [owner, config] = [new Uint8Array(48).fill(0x0a), new Uint8Array(48).fill(0x0b)];
  const given = (mrOwner: Uint8Array, mrOwnerConfig: Uint8Array): QuoteVerification => {
    const registers = { ...ANY_WORKLOAD.registers, mrOwner, mrOwnerConfig };
    return verifyKit(knobs, { expectations: { ...ANY_WORKLOAD, registers } });
  };
  assertFaults(given(owner, config), []);
  assertFaults(given(config, owner), ["mrowner", "mrownerconfig"], /MROWNER is 0a0a/);
  assert.equal(verdictOf(verifyKit(knobs), "mrowner"), undefined);
});

test("verifyQuote() returns the root, the quote's platform and the expiry of the collateral", () => {
  const found = verifyKit({});
  assert.equal(found.platform?.fmspc.toHex(), "90c06f000000");
  assert.deepEqual(found.collateral, {
    evaluation: { tcbInfo: 18, qeIdentity: 18 },
    expiresAt: QUOTE_NOW + 25 * DAY,
  });
  assert.deepEqual([found.root.name, found.root.isIntels], ["SYNTHETIC SGX Root CA", false]);
  const { root: _, ...evidence } = evidenceOf(makeQuoteKit());
  assert.equal(verifyWithCache(evidence).root.isIntels, true);
  assert.equal(verifyWithCache({ ...evidence, root: intelRoot() }).root.isIntels, true);
});
