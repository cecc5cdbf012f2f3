import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endOfNonce, NONCE_PERIOD, presentNonce } from "../../../src/oauth/dpop/nonce.ts";
import { createTestVault } from "../../support/vault.ts";

const NOW = 1_000_000 * NONCE_PERIOD;
const vault = createTestVault();

describe("presentNonce()", () => {
  test("is the same for a period in every process with a seed, and then changes", () => {
    const nonce = presentNonce(vault, NOW);
    assert.equal(presentNonce(createTestVault(), NOW + NONCE_PERIOD - 1), nonce);
    assert.notEqual(presentNonce(vault, NOW + NONCE_PERIOD), nonce);
    assert.match(nonce, /^[A-Za-z0-9_-]{22}$/);
  });

  test("depends on the seed: another seed returns another", () => {
    const other = { keyedHash: () => new Uint8Array(32) };
    assert.notEqual(presentNonce(vault, NOW), presentNonce(other, NOW));
  });
});

describe("endOfNonce()", () => {
  test("accepts a nonce for two periods, and an early one for a process whose clock is behind", () => {
    const nonce = presentNonce(vault, NOW);
    const end = NOW + 3 * NONCE_PERIOD;
    for (const at of [NOW - NONCE_PERIOD, NOW, NOW + NONCE_PERIOD, NOW + 2 * NONCE_PERIOD - 1]) {
      assert.equal(endOfNonce(vault, nonce, at), end);
    }
    for (const at of [NOW - NONCE_PERIOD - 1, NOW + 2 * NONCE_PERIOD, end]) {
      assert.equal(endOfNonce(vault, nonce, at), undefined);
    }
  });

  test("refuses a nonce from before the start of a process that serves alone", () => {
    const [before, after] = [createTestVault(), createTestVault()];
    before.bindToStart();
    after.bindToStart();
    const nonce = presentNonce(before, NOW);
    assert.notEqual(endOfNonce(before, nonce, NOW), undefined);
    for (const each of [after, vault]) assert.equal(endOfNonce(each, nonce, NOW), undefined);
    assert.notEqual(endOfNonce(after, presentNonce(after, NOW), NOW), undefined);
  });

  test("refuses any other", () => {
    for (const text of ["", "a", "A".repeat(22), presentNonce(vault, NOW).toLowerCase()]) {
      assert.equal(endOfNonce(vault, text, NOW), undefined);
    }
  });
});
