import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DerError } from "../../../src/tee/quote/der-reader.ts";
import { bytesOfBase64, bytesOfHex, hexOf } from "../../../src/tee/quote/encoding.ts";
import { isPoint, signatureOfDer } from "../../../src/tee/quote/signature.ts";
import { verifyQuote as verifyNatively } from "../../../src/tee/quote/verify.ts";
import { verifyKey, verifyQuote } from "../../../src/tee/quote/web.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { evidenceOf, faultsOf } from "./fixture.ts";

describe("verifyQuote() by Web Crypto", () => {
  const sound = evidenceOf(makeQuoteKit());

  test("finds what the runtime's own cryptography finds: a valid and an invalid quote", async () => {
    for (
      const evidence of [sound, { ...sound, quote: new Uint8Array() }, { ...sound, now: sound.now + 1e12 }]
    ) {
      assert.deepEqual(await verifyQuote(evidence), verifyNatively(evidence));
    }
    assert.equal((await verifyQuote(sound)).passed, true);
  });

  test("finds the same in a quote with any one bit changed", { timeout: 120_000 }, async () => {
    for (let at = 0; at < sound.quote.length; at += 41) {
      const quote = sound.quote.slice();
      quote[at]! ^= 1 << (at % 8);
      const evidence = { ...sound, quote };
      const found = await verifyQuote(evidence);
      assert.deepEqual(found, verifyNatively(evidence), String(at));
    }
  });

  test("rejects the signature of changed collateral", async () => {
    const { collateral } = sound;
    const flip = (bytes: Uint8Array, at: number) =>
      bytes.map((byte, index) => index === at ? byte ^ 1 : byte);
    const changes = [
      { pckCrl: flip(collateral.pckCrl, collateral.pckCrl.length - 3) },
      { rootCaCrl: flip(collateral.rootCaCrl, collateral.rootCaCrl.length - 3) },
      { tcbInfoSignature: flip(collateral.tcbInfoSignature, 7) },
      { qeIdentitySignature: flip(collateral.qeIdentitySignature, 40) },
      { tcbInfo: collateral.tcbInfo + " " },
    ];
    for (const change of changes) {
      const evidence = { ...sound, collateral: { ...collateral, ...change } };
      const found = await verifyQuote(evidence);
      assert.equal(found.passed, false, Object.keys(change).join());
      assert.deepEqual(faultsOf(found), faultsOf(verifyNatively(evidence)));
    }
  });

  test("rejects for an invalid time, and does not pass an invalid answer", async () => {
    await assert.rejects(verifyQuote({ ...sound, now: NaN }), RangeError);
    const expected = {
      ...sound.expectations,
      registers: sound.expectations.registers!,
      keyProvider: "any",
      nonce: "any",
      address: "any",
      collateral: sound.collateral,
      now: sound.now,
    } as const;
    for (const answer of [{}, { quote: 1, claims: 2 }]) {
      assert.equal((await verifyKey({ answer: answer as never, expected })).passed, false);
    }
  });
});

describe("replacements for methods that older platforms lack", () => {
  test("hex and base64 equal those of the platform", () => {
    for (let length = 0; length < 70; length++) {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      assert.equal(hexOf(bytes), bytes.toHex());
      assert.deepEqual(bytesOfHex(bytes.toHex().toUpperCase()), bytes);
      assert.deepEqual(bytesOfBase64(` ${bytes.toBase64().replace(/(.{20})/g, "$1\n")}`), bytes);
    }
    for (const text of ["A", "AA", "AAA", "AA=", "A===", "AA==AA==", "A-_A", "AAA=A"]) {
      assert.throws(() => bytesOfBase64(text), TypeError, text);
    }
  });

  test("isPoint() accepts points of P-256, and signatureOfDer() its signatures", async () => {
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
    ]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)).subarray(1);
    assert.equal(isPoint(point), true);
    for (const at of [0, 31, 32, 63]) assert.equal(isPoint(point.with(at, point[at]! ^ 1)), false);
    for (const other of [new Uint8Array(64), new Uint8Array(64).fill(255), point.subarray(1)]) {
      assert.equal(isPoint(other), false);
    }
    const der = (...hex: string[]) => bytesOfHex(hex.join(""));
    assert.equal(
      hexOf(signatureOfDer(der("3006", "020101", "020102"))),
      "1".padStart(64, "0") + "2".padStart(64, "0"),
    );
    for (
      const bad of ["3003020101", "3009020101020102020103", "3006020181020102", "3007020101020102ff", ""]
    ) {
      assert.throws(() => signatureOfDer(der(bad)), DerError, bad);
    }
    assert.throws(() => signatureOfDer(der("3026", "0221", "01".repeat(33), "020101")), /not one of P-256/);
  });
});
