import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sha512 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../../src/lib/bytes.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { keyQuoteReportData } from "../../../src/tee/report-data.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD, assertFaults, evidenceOf } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

const HASH = new Uint8Array(32).fill(0xab);
const POLICY = { hash: `0x${"ab".repeat(32)}`, locked: false, delayHours: 72, change: null };
const EXPECTED = {
  registers: ANY_WORKLOAD.registers,
  nonce: "any",
  address: "any",
  keyProvider: "any",
  policyHash: HASH,
} as const;

function verifyOver(
  claims: Uint8Array,
  reportData: Uint8Array,
  expectations: typeof EXPECTED,
): QuoteVerification {
  return verifyWithCache(evidenceOf(makeQuoteKit({ reportData }), { claims, expectations }));
}

function verify(policy: unknown, purpose = "holdfast/key-quote/v2"): QuoteVerification {
  const claims = utf8(JSON.stringify({ purpose, nonce: null, address: "0x01", policy }));
  return verifyOver(claims, keyQuoteReportData(claims), EXPECTED);
}

function detailOf({ checks }: QuoteVerification): string {
  return checks.find(({ name }) => name === "policy")!.detail;
}

describe("verifyQuote() of a key's policy", () => {
  test("passes with the expected one, and returns its delay in hours", () => {
    const found = verify(POLICY);
    assertFaults(found, []);
    assert.equal(detailOf(found), "As expected; it may be loosened after 72 hours");
    assert.deepEqual(found.policy, { hash: HASH, locked: false, delayHours: 72, changesAt: undefined });
  });

  test("reports LOCKED for one that can never be loosened", () => {
    const found = verify({ ...POLICY, locked: true });
    assertFaults(found, []);
    assert.match(detailOf(found), /LOCKED/);
  });

  test("refuses another one, and a key without one", () => {
    assertFaults(verify({ ...POLICY, hash: `0x${"ac".repeat(32)}` }), ["policy"], /another policy/);
    assertFaults(verify(null), ["policy"], /no policy: it signs anything/);
  });

  test("does not pass while a change is pending", () => {
    const change = { hash: null, takesEffectAt: "2026-06-20T00:00:00.000Z" };
    assertFaults(verify({ ...POLICY, change }), ["policy"], /at 2026-06-20T00:00:00\.000Z/);
    // A locked policy with a pending change is a lie: the check still reports the change.
    assertFaults(verify({ ...POLICY, locked: true, change }), ["policy"]);
  });

  test("refuses claims of the version without policies, whatever they contain", () => {
    assertFaults(verify(POLICY, "holdfast/key-quote/v1"), ["policy"], /without policies/);
    assertFaults(verify(undefined), ["policy"], /cannot be read: policy is not an object/);
  });

  test("refuses claims that the service would not make", () => {
    for (
      const policy of [
        "none",
        [],
        { ...POLICY, hash: "ab".repeat(32) },
        { ...POLICY, hash: `0x${"AB".repeat(32)}` },
        { ...POLICY, hash: undefined },
        { ...POLICY, locked: "false" },
        { ...POLICY, locked: undefined },
        { ...POLICY, delayHours: -1 },
        { ...POLICY, delayHours: "72" },
        { ...POLICY, change: undefined },
        { ...POLICY, change: {} },
        { ...POLICY, change: { takesEffectAt: "soon" } },
      ]
    ) {
      assertFaults(verify(policy), ["policy"], /cannot be read/);
    }
  });

  test("is not made if none is expected, nor if the claims are not the quote's", () => {
    const claims = utf8(
      JSON.stringify({ purpose: "holdfast/key-quote/v2", nonce: null, address: "", policy: POLICY }),
    );
    const { policyHash: _, ...others } = EXPECTED;
    const unasked = verifyOver(claims, keyQuoteReportData(claims), others as typeof EXPECTED);
    assertFaults(unasked, []);
    assert.ok(unasked.checks.every(({ name }) => name !== "policy"));
    const foreign = verifyOver(claims, new Uint8Array(64), EXPECTED);
    assert.equal(foreign.checks.find(({ name }) => name === "policy")?.verdict, "not_checked");
  });

  test("accepts report data under the earlier tag as a key's quote, and under no other", () => {
    const claims = utf8(JSON.stringify({ nonce: null, address: "0x01" }));
    const { policyHash: _, ...others } = EXPECTED;
    const under = (tag: string): QuoteVerification =>
      verifyOver(claims, sha512(Uint8Array.of(...utf8(tag), 0, ...claims)), others as typeof EXPECTED);
    assertFaults(under("holdfast/key-quote/v1"), []);
    assertFaults(under("holdfast/key-quote/v2"), []);
    assert.ok(!under("holdfast/key-quote/v3").passed);
    assert.ok(!under("holdfast/seal-release/v1").passed);
  });
});
