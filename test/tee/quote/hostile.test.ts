import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { utf8 } from "../../../src/lib/bytes.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { CollateralError, parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import type { QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";
import { runs } from "../../support/share.ts";

// For any hostile input the verifier returns a result, and never a pass.

const KIT = makeQuoteKit();
const SOUND: QuoteEvidence = {
  quote: KIT.quote,
  collateral: parseCollateral(KIT.collateral),
  now: KIT.now,
  root: parseRoot(KIT.root),
  policy: STRICT_POLICY,
  expectations: ANY_WORKLOAD,
};
const LIMIT = { timeout: 60_000 };
const NESTED = "[".repeat(200_000);

describe("verifyQuote() with hostile input", () => {
  test("returns false for random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (quote) => {
        assert.equal(verifyWithCache({ ...SOUND, quote }).passed, false);
      }),
      runs(100, 1),
    );
  });

  test("returns false for a quote with a few bytes changed before its chain", LIMIT, () => {
    const start = KIT.quote.toHex().indexOf(utf8("-----BEGIN").toHex()) / 2;
    const places = fc.uniqueArray(fc.nat(start - 1), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 255 }), (changed, mask) => {
        const quote = KIT.quote.slice();
        for (const at of changed) quote[at] = quote[at]! ^ mask;
        assert.equal(verifyWithCache({ ...SOUND, quote }).passed, false);
      }),
      runs(100, 2),
    );
  });

  test("returns false for any text in place of a document, a chain, claims or a log", LIMIT, () => {
    const text = fc.oneof(fc.string({ maxLength: 300 }), fc.json(), fc.constant(NESTED));
    fc.assert(
      fc.property(text, (hostile) => {
        for (
          const name of ["tcbInfo", "qeIdentity", "tcbInfoIssuerChain", "qeIdentityIssuerChain"] as const
        ) {
          const collateral = { ...SOUND.collateral, [name]: hostile };
          assert.equal(verifyWithCache({ ...SOUND, collateral }).passed, false, name);
        }
        assert.equal(verifyWithCache({ ...SOUND, eventLog: hostile }).passed, false);
        const expectations = { registers: ANY_WORKLOAD.registers, nonce: "n", address: "a" };
        assert.equal(verifyWithCache({ ...SOUND, claims: utf8(hostile), expectations }).passed, false);
      }),
      runs(15, 3),
    );
  });

  test("returns false for any bytes in place of a list or a signature", LIMIT, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (hostile) => {
        for (const name of ["pckCrl", "rootCaCrl", "tcbInfoSignature", "qeIdentitySignature"] as const) {
          const collateral = { ...SOUND.collateral, [name]: hostile };
          assert.equal(verifyWithCache({ ...SOUND, collateral }).passed, false, name);
        }
      }),
      runs(15, 4),
    );
  });

  test("parseCollateral() throws only its own error", () => {
    const text = fc.oneof(fc.string(), fc.json(), fc.constant(NESTED));
    fc.assert(
      fc.property(text, (hostile) => {
        assert.throws(() => parseCollateral(hostile), CollateralError);
      }),
      runs(100, 5),
    );
  });
});
