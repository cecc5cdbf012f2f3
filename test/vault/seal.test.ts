import assert from "node:assert/strict";
import { createDecipheriv } from "node:crypto";
import { describe, test } from "node:test";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { lengthPrefixed, utf8 } from "../../src/lib/bytes.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { SealError } from "../../src/vault/error.ts";
import { open, prepareSeal, seal } from "../../src/vault/seal.ts";
import type { SealContext } from "../../src/vault/seal.ts";
import { createTestVault } from "../support/vault.ts";

const KEY = { primitives, key: Uint8Array.from({ length: 32 }, (_, index) => 255 - index) };
const CONTEXT: SealContext = { purpose: "outbox", additionalData: [utf8("mail_1"), utf8("17")] };
const PLAINTEXT = utf8("Your code is 123456");

/** Computed by Web Crypto from the same key, context, salt (0, 1, 2 …) and text. */
const GOLDEN = "01000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" +
  "ead4eaebf7e9a17a2b2666b4de14e465fa89bc035ff7af5bc990959c9484efea48cf68";

const PARTS = { key: KEY.key, nonce: new Uint8Array(12), additionalData: new Uint8Array() };

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

function sealSample(): Uint8Array {
  return seal(KEY, CONTEXT, PLAINTEXT, random);
}

describe("open()", () => {
  test("does not change the sealing key", () => {
    const key = { ...KEY, key: KEY.key.slice() };
    open(key, CONTEXT, sealSample());
    assert.deepEqual(key, KEY);
  });

  test("returns what was sealed, also empty and large texts", () => {
    for (const length of [0, 1, 19, 65_536]) {
      const plaintext = random(length);
      assert.deepEqual(open(KEY, CONTEXT, seal(KEY, CONTEXT, plaintext, random)), plaintext);
    }
  });

  test("refuses a blob with any bit flipped", { timeout: 60_000 }, () => {
    const sealed = sealSample();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = sealed.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      assert.throws(() => open(KEY, CONTEXT, changed), SealError, `Bit ${bit}`);
    }
  });

  test("refuses a blob of any shorter length, and a longer one", () => {
    const sealed = sealSample();
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => open(KEY, CONTEXT, sealed.slice(0, length)), SealError);
    }
    assert.throws(() => open(KEY, CONTEXT, Uint8Array.of(...sealed, 0)), SealError);
  });

  const OTHERS: Readonly<Record<string, SealContext>> = {
    "another purpose": { ...CONTEXT, purpose: "seed" },
    "another value": { ...CONTEXT, additionalData: [utf8("mail_2"), utf8("17")] },
    "the values in another order": { ...CONTEXT, additionalData: [utf8("17"), utf8("mail_1")] },
    "the boundary between two values moved": { ...CONTEXT, additionalData: [utf8("mail_11"), utf8("7")] },
    "one value fewer": { ...CONTEXT, additionalData: [utf8("mail_1")] },
    "an additional empty value": {
      ...CONTEXT,
      additionalData: [...CONTEXT.additionalData, new Uint8Array()],
    },
  };
  for (const [name, context] of Object.entries(OTHERS)) {
    test(`refuses a blob in another context: ${name}`, () => {
      assert.throws(() => open(KEY, context, sealSample()), SealError);
    });
  }

  test("refuses a blob under another key", () => {
    const other = { primitives, key: KEY.key.with(0, 0) };
    assert.throws(() => open(other, CONTEXT, sealSample()), SealError);
  });

  test("accepts a tag of 16 bytes and no shorter one", () => {
    const empty = seal(KEY, CONTEXT, new Uint8Array(), random);
    for (let length = 0; length < 16; length++) {
      assert.throws(() => open(KEY, CONTEXT, empty.slice(0, 33 + length)), SealError, `${length} bytes`);
      assert.throws(() => primitives.openAesGcm(PARTS, new Uint8Array(length)), Error, `${length} bytes`);
    }
  });

  test("names the version when it is unknown", () => {
    const sealed = sealSample();
    assert.throws(() => open(KEY, CONTEXT, sealed.with(0, 2)), {
      message: "Cannot open sealed bytes: unknown version",
    });
  });
});

describe("seal()", () => {
  test("returns version, salt, ciphertext and tag, which another implementation opens", () => {
    const sealed = sealSample();
    assert.equal(sealed.length, 1 + 32 + PLAINTEXT.length + 16);
    assert.equal(sealed[0], 1);
    const info = lengthPrefixed(utf8("holdfast/seal"), Uint8Array.of(1), utf8("outbox"));
    const derived = hkdf(sha256, KEY.key, sealed.slice(1, 33), info, 44);
    const decipher = createDecipheriv("aes-256-gcm", derived.slice(0, 32), derived.slice(32));
    decipher.setAAD(lengthPrefixed(utf8("outbox"), Uint8Array.of(1), ...CONTEXT.additionalData));
    decipher.setAuthTag(sealed.slice(-16));
    const plaintext = Buffer.concat([decipher.update(sealed.slice(33, -16)), decipher.final()]);
    assert.equal(plaintext.toString(), "Your code is 123456");
  });

  test("always returns the same bytes, and opens them", () => {
    const sealed = Uint8Array.fromHex(GOLDEN);
    const salt = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);
    assert.deepEqual(seal(KEY, CONTEXT, PLAINTEXT, salt), sealed);
    assert.deepEqual(open(KEY, CONTEXT, sealed), PLAINTEXT);
  });

  test("returns other bytes each time", () => {
    assert.notDeepEqual(sealSample(), sealSample());
  });

  test("wipes the key it derived, and does not change the plaintext and the sealing key", () => {
    const materials: Uint8Array[] = [];
    const recording = {
      ...primitives,
      hkdfSha256: (...parameters: Parameters<typeof primitives.hkdfSha256>) => {
        const material = primitives.hkdfSha256(...parameters);
        materials.push(material);
        return material;
      },
    };
    const key = KEY.key.slice();
    const plaintext = PLAINTEXT.slice();
    const sealed = seal({ primitives: recording, key }, CONTEXT, plaintext, random);
    assert.equal(materials.length, 1);
    assert.ok(materials[0]!.every((byte) => byte === 0));
    assert.deepEqual({ key, plaintext }, { key: KEY.key, plaintext: PLAINTEXT });
    const opening = open({ primitives: recording, key }, CONTEXT, sealed);
    assert.ok(materials[1]!.every((byte) => byte === 0));
    assert.deepEqual(opening, PLAINTEXT);
  });

  test("refuses a random source that returns too little", () => {
    assert.throws(() => seal(KEY, CONTEXT, PLAINTEXT, () => new Uint8Array(31)), TypeError);
  });
});

test("Vault.open() opens what a vault with the same seed sealed, and no other vault does", () => {
  const sealed = createTestVault(1).seal("outbox", [utf8("a")], PLAINTEXT);
  assert.deepEqual(createTestVault(1).open("outbox", [utf8("a")], sealed), PLAINTEXT);
  assert.throws(() => createTestVault(2).open("outbox", [utf8("a")], sealed), SealError);
  assert.throws(() => createTestVault(1).open("outbox", [utf8("b")], sealed), SealError);
});

describe("prepareSeal()", () => {
  test("does not keep the key or the plaintext after the call", () => {
    const key = { ...KEY, key: KEY.key.slice() };
    const sealOnce = prepareSeal(key, CONTEXT, random);
    key.key.fill(0);
    const plaintext = PLAINTEXT.slice();
    const sealed = sealOnce(plaintext);
    plaintext.fill(0);
    assert.deepEqual(open(KEY, CONTEXT, sealed), PLAINTEXT);
  });

  test("seals only once, because a second text would have the same nonce", () => {
    const sealOnce = prepareSeal(KEY, CONTEXT, random);
    sealOnce(PLAINTEXT);
    assert.throws(() => sealOnce(PLAINTEXT), Error);
  });
});
