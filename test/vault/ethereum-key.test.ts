import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hkdf } from "@noble/hashes/hkdf.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { hashes, recoverPublicKey, verify } from "@noble/secp256k1";
import { privateKeyToAccount, sign } from "viem/accounts";
import { concat, uint32, utf8 } from "../../src/lib/bytes.ts";
import type { VaultPrimitives } from "../../src/lib/crypto.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { Vault } from "../../src/vault/vault.ts";
import { createTestVault } from "../support/vault.ts";

const SEED = Uint8Array.from({ length: 32 }, (_, index) => index);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const A = "account_00000000000000000000000001";
const B = "account_00000000000000000000000002";

/** Computed by a separate program. Never change them: every address would change with them. */
const GOLDEN = [
  {
    path: [A, 0],
    privateKey: "7294e6e66c35a9eed66497dc289e8ce967bc2722f658d532ca853c6ec5e64c4f",
    publicKey:
      "04a003b0c49715b3d18512e3e1e0bc884b67d0da2ce9bb79e098bc5d832f525e6472f1f150c1f52002ddb98b51e805f2ee2ee01631c74f6985b6809c099fc8c644",
    address: "7e35848f8f1989d7a751a5016c446482999f97a6",
  },
  {
    path: [A, 1],
    privateKey: "c56805a5be4e408f01dbb058bfcacebed23929d3bfd3badb8b272277a52aada5",
    publicKey:
      "04991dd0ccdb1b20e1a9fc503d4d3f63512846c933c6d44d6fd24afdfc6213b02c728ab91f4aec25cdac78b6b7b60604d44ea12786be913e6e450d085047336909",
    address: "c30d3f19ad24cb0c14a4110fe3f06000525d2c14",
  },
  {
    path: [A, 4294967295],
    privateKey: "ae3484a77df20fcfa02d0932d8af1f418aac32734df95355fd463577fd7eb7a4",
    publicKey:
      "0443cbab55c726239222984275b1f1c9758219fb5e121de1dcabee70f8df7e733778eb54729a99c064c67a0e853f524e6cf0612ded488f6260b27fb0067cb050a0",
    address: "104489384957cacb09b1c5a0ab5e9ce385d98e3e",
  },
  {
    path: [B, 0],
    privateKey: "2ed35ffc52d89f2f29ec1cd995c0f94781835548c7786f07d30c4448049698e1",
    publicKey:
      "044aeffb9c1f47d6ac73efd8e4863d63460c1acec0c807daf67eb5dc80fbee2fec017231ab90b5987c25443a39a35176c69a487163907ceeee0ea212b27c0f495e",
    address: "5eae2a49e7b621bc6df2deaf39653a8e9720b97c",
  },
] as const;

function openGoldenVault(own: VaultPrimitives = primitives): Vault {
  return new Vault({ seed: SEED, primitives: own, random: (length) => new Uint8Array(length) });
}

/** Derives the key independently, with other libraries than the vault's. */
function derivePrivateKey(accountId: string, keyIndex: number): `0x${string}` {
  const info = concat(
    utf8("ethereum-key/v1"),
    uint32(utf8(accountId).length),
    utf8(accountId),
    uint32(keyIndex),
  );
  const wide = BigInt("0x" + hkdf(sha512, SEED, utf8("holdfast"), info, 48).toHex());
  return `0x${(wide % (ORDER - 1n) + 1n).toString(16).padStart(64, "0")}`;
}

/** Returns `count` reproducible digests that look random. */
function digests(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => keccak_256(uint32(index)));
}

describe("ethereumPublicKey()", () => {
  for (const { path: [accountId, keyIndex], privateKey, publicKey, address } of GOLDEN) {
    test(`returns the golden public key and address of ${accountId} / ${keyIndex}`, () => {
      const found = openGoldenVault().ethereumPublicKey(accountId, keyIndex);
      assert.equal(found.publicKey.toHex(), publicKey);
      assert.equal(found.address.toHex(), address);
      assert.equal(derivePrivateKey(accountId, keyIndex), `0x${privateKey}`);
      assert.equal(privateKeyToAccount(`0x${privateKey}`).publicKey, `0x${publicKey}`);
      assert.equal(privateKeyToAccount(`0x${privateKey}`).address.toLowerCase(), `0x${address}`);
    });
  }

  test("returns other keys for another seed, account or index", () => {
    const [vault, other] = [createTestVault(1), createTestVault(2)];
    const addresses = [
      vault.ethereumPublicKey(A, 0),
      vault.ethereumPublicKey(A, 1),
      vault.ethereumPublicKey(B, 0),
      other.ethereumPublicKey(A, 0),
    ].map(({ address }) => address.toHex());
    assert.equal(new Set(addresses).size, addresses.length);
  });

  for (const keyIndex of [-1, 1.5, 4294967296, NaN, Infinity]) {
    test(`refuses the key index ${keyIndex}`, () => {
      assert.throws(() => createTestVault().ethereumPublicKey(A, keyIndex), RangeError);
    });
  }

  test("refuses account ids that are empty or ambiguous", () => {
    for (const accountId of ["", "account_\ud800", "\udc00"]) {
      assert.throws(() => createTestVault().ethereumPublicKey(accountId, 0), TypeError);
    }
  });
});

describe("signDigest()", () => {
  test(
    "signs as in RFC 6979, byte for byte like viem with the same key",
    { timeout: 60_000 },
    async () => {
      const vault = openGoldenVault();
      for (const [index, digest] of digests(64).entries()) {
        const own = vault.signDigest(A, index, digest);
        const hash = `0x${digest.toHex()}` as const;
        const { r, s, yParity } = await sign({ hash, privateKey: derivePrivateKey(A, index), to: "object" });
        assert.deepEqual(
          { r: own.compact.slice(0, 32).toHex(), s: own.compact.slice(32).toHex(), yParity: own.recovery },
          {
            r: BigInt(r).toString(16).padStart(64, "0"),
            s: BigInt(s).toString(16).padStart(64, "0"),
            yParity,
          },
        );
      }
    },
  );

  test("returns the same signature each time, with a low s, from which the key is recovered", {
    timeout: 60_000,
  }, () => {
    const vault = createTestVault();
    const { publicKey } = vault.ethereumPublicKey(A, 3);
    const recoveries = new Set<number>();
    for (const digest of digests(200)) {
      const signature = vault.signDigest(A, 3, digest);
      assert.deepEqual(vault.signDigest(A, 3, digest), signature);
      assert.equal(signature.compact.length, 64);
      const s = BigInt("0x" + signature.compact.slice(32).toHex());
      assert.ok(s > 0n && s <= ORDER / 2n);
      const recovered = concat(Uint8Array.of(signature.recovery), signature.compact);
      assert.deepEqual(
        recoverPublicKey(recovered, digest, { prehash: false, isCompressed: false }),
        publicKey,
      );
      recoveries.add(signature.recovery);
    }
    assert.deepEqual([...recoveries].sort(), [0, 1]);
  });

  test("signs the digests of the limits: all zeros, all ones, the order", () => {
    const vault = createTestVault();
    const { publicKey } = vault.ethereumPublicKey(A, 0);
    for (const hex of ["00".repeat(32), "ff".repeat(32), ORDER.toString(16)]) {
      const digest = Uint8Array.fromHex(hex);
      const { compact } = vault.signDigest(A, 0, digest);
      assert.ok(verify(compact, digest, publicKey, { prehash: false }));
    }
  });

  for (const length of [0, 31, 33, 64]) {
    test(`refuses a digest of ${length} bytes`, () => {
      assert.throws(() => createTestVault().signDigest(A, 0, new Uint8Array(length)), {
        name: "TypeError",
        message: "Cannot sign digest: not 32 bytes",
      });
    });
  }

  test("does not change the digest and the vault's seed", () => {
    const vault = createTestVault();
    const [digest] = digests(1);
    const before = { digest: digest!.slice(), key: vault.ethereumPublicKey(A, 0) };
    vault.signDigest(A, 0, digest!);
    assert.deepEqual({ digest, key: vault.ethereumPublicKey(A, 0) }, before);
  });

  test("wipes the bytes of a private key", () => {
    const materials: Uint8Array[] = [];
    const vault = openGoldenVault({
      ...primitives,
      hkdfSha512: (...parameters) => {
        const material = primitives.hkdfSha512(...parameters);
        assert.ok(material.some((byte) => byte !== 0));
        materials.push(material);
        return material;
      },
    });
    vault.signDigest(A, 0, new Uint8Array(32));
    vault.ethereumPublicKey(A, 0);
    assert.equal(materials.length, 2);
    for (const material of materials) assert.ok(material.every((byte) => byte === 0));
  });
});

test("a vault leaves noble's table of hashes frozen, without a hash that would hash a digest again", () => {
  createTestVault();
  assert.ok(Object.isFrozen(hashes));
  assert.equal(hashes.sha256, undefined);
  assert.throws(() => Object.assign(hashes, { hmacSha256: () => new Uint8Array(32) }), TypeError);
});
