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

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

async function sealSample(): Promise<Uint8Array> {
  return await seal(KEY, CONTEXT, PLAINTEXT, random);
}

describe("open()", () => {
  test("needs the key no longer than its call", async () => {
    const key = { ...KEY, key: KEY.key.slice() };
    const opening = open(key, CONTEXT, await sealSample());
    key.key.fill(0);
    assert.deepEqual(await opening, PLAINTEXT);
  });

  test("gives back what was sealed, the empty text and a large one too", async () => {
    for (const length of [0, 1, 19, 65_536]) {
      const plaintext = random(length);
      assert.deepEqual(await open(KEY, CONTEXT, await seal(KEY, CONTEXT, plaintext, random)), plaintext);
    }
  });

  test("refuses a blob when any one bit of it is flipped", { timeout: 60_000 }, async () => {
    const sealed = await sealSample();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = sealed.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await assert.rejects(open(KEY, CONTEXT, changed), SealError, `Bit ${bit}`);
    }
  });

  test("refuses a blob cut to any shorter length, and a longer one", async () => {
    const sealed = await sealSample();
    for (let length = 0; length < sealed.length; length++) {
      await assert.rejects(open(KEY, CONTEXT, sealed.slice(0, length)), SealError);
    }
    await assert.rejects(open(KEY, CONTEXT, Uint8Array.of(...sealed, 0)), SealError);
  });

  const OTHERS: Readonly<Record<string, SealContext>> = {
    "another purpose": { ...CONTEXT, purpose: "seed" },
    "another value": { ...CONTEXT, additionalData: [utf8("mail_2"), utf8("17")] },
    "the values in another order": { ...CONTEXT, additionalData: [utf8("17"), utf8("mail_1")] },
    "the border between two values moved": { ...CONTEXT, additionalData: [utf8("mail_11"), utf8("7")] },
    "a value less": { ...CONTEXT, additionalData: [utf8("mail_1")] },
    "an empty value more": { ...CONTEXT, additionalData: [...CONTEXT.additionalData, new Uint8Array()] },
  };
  for (const [name, context] of Object.entries(OTHERS)) {
    test(`refuses a blob in another context: ${name}`, async () => {
      await assert.rejects(open(KEY, context, await sealSample()), SealError);
    });
  }

  test("refuses a blob under another key", async () => {
    const other = { primitives, key: KEY.key.with(0, 0) };
    await assert.rejects(open(other, CONTEXT, await sealSample()), SealError);
  });

  test("names the version when it is unknown", async () => {
    const sealed = await sealSample();
    await assert.rejects(open(KEY, CONTEXT, sealed.with(0, 2)), {
      message: "Cannot open sealed bytes: unknown version",
    });
  });
});

describe("seal()", () => {
  test("gives version, salt, ciphertext and tag that another implementation opens", async () => {
    const sealed = await sealSample();
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

  test("gives other bytes each time", async () => {
    assert.notDeepEqual(await sealSample(), await sealSample());
  });

  test("wipes the key it derived before anything is awaited, and leaves the plaintext and the sealing key", async () => {
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
    const sealing = seal({ primitives: recording, key }, CONTEXT, plaintext, random);
    assert.equal(materials.length, 1);
    assert.ok(materials[0]!.every((byte) => byte === 0));
    const sealed = await sealing;
    assert.deepEqual({ key, plaintext }, { key: KEY.key, plaintext: PLAINTEXT });
    const opening = open({ primitives: recording, key }, CONTEXT, sealed);
    assert.ok(materials[1]!.every((byte) => byte === 0));
    assert.deepEqual(await opening, PLAINTEXT);
  });

  test("refuses a random source that gives too little", async () => {
    await assert.rejects(seal(KEY, CONTEXT, PLAINTEXT, () => new Uint8Array(31)), TypeError);
  });
});

test("Vault.open() gives back what seal() of a vault over the same seed sealed, and no other vault does", async () => {
  const sealed = await createTestVault(1).seal("outbox", [utf8("a")], PLAINTEXT);
  assert.deepEqual(await createTestVault(1).open("outbox", [utf8("a")], sealed), PLAINTEXT);
  await assert.rejects(createTestVault(2).open("outbox", [utf8("a")], sealed), SealError);
  await assert.rejects(createTestVault(1).open("outbox", [utf8("b")], sealed), SealError);
});

describe("prepareSeal()", () => {
  test("needs the key no longer than its call, and the bytes no longer than theirs", async () => {
    const key = { ...KEY, key: KEY.key.slice() };
    const preparing = prepareSeal(key, CONTEXT, random);
    key.key.fill(0);
    const sealOnce = await preparing;
    const plaintext = PLAINTEXT.slice();
    const sealing = sealOnce(plaintext);
    plaintext.fill(0);
    assert.deepEqual(await open(KEY, CONTEXT, await sealing), PLAINTEXT);
  });
});
