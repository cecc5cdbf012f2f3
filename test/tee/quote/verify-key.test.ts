import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { type ExpectedKey, type KeyQuoteAnswer, verifyKey } from "../../../src/tee/quote/verify.ts";
import { keyQuoteReportData } from "../../../src/tee/report-data.ts";
import { makeSimulatedCollateral } from "../../../src/tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../../../src/tee/simulated/simulated-pki.ts";
import { makeSimulatedQuote } from "../../../src/tee/simulated/simulated-quote.ts";
import { ANY_WORKLOAD, faultsOf } from "./fixture.ts";

const PKI = makeSimulatedPki(new Uint8Array(32).fill(1));
const ADDRESS = "0x000000000000000000000000000000000000dEaD";
const CLAIMS = JSON.stringify({ nonce: "abc", address: ADDRESS, keyProvider: null });
const ANSWER: KeyQuoteAnswer = {
  quote: makeSimulatedQuote(PKI, keyQuoteReportData(utf8(CLAIMS))).toBase64(),
  claims: CLAIMS,
};
const EXPECTED: ExpectedKey = {
  registers: ANY_WORKLOAD.registers,
  keyProvider: "any",
  nonce: "abc",
  address: ADDRESS,
  collateral: parseCollateral(makeSimulatedCollateral(PKI)),
  root: parseRoot(PKI.rootCertificate),
  now: Date.UTC(2026, 0, 31),
};

function faults(answer: unknown, expected: Partial<ExpectedKey> = {}): readonly string[] {
  const found = verifyKey({ answer: answer as KeyQuoteAnswer, expected: { ...EXPECTED, ...expected } });
  const names = faultsOf(found).map(({ name }) => name);
  assert.equal(found.passed, names.length === 0);
  return names;
}

describe("verifyKey()", () => {
  test("returns true for the answer with this nonce and this address", () => {
    assert.deepEqual(faults(ANSWER), []);
  });

  test("returns false for another nonce, another address, other claims, and without the root of a simulated TEE", () => {
    assert.deepEqual(faults(ANSWER, { nonce: "abd" }), ["nonce"]);
    assert.deepEqual(faults(ANSWER, { address: ADDRESS.replace("dEaD", "bEEF") }), ["address"]);
    assert.deepEqual(faults({ ...ANSWER, claims: CLAIMS + " " })[0], "report_data");
    const { root: _, ...intel } = EXPECTED;
    assert.equal(verifyKey({ answer: ANSWER, expected: intel }).passed, false);
  });

  test("returns false for an invalid answer, and does not throw", () => {
    for (const answer of [{}, { quote: "?", claims: "" }, { quote: 1, claims: 2, eventLog: 3 }]) {
      assert.ok(faults(answer).includes("quote_format"), JSON.stringify(answer));
    }
  });
});
