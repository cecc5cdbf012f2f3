import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat } from "../../src/lib/bytes.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { readCredentialKey } from "../../src/webauthn/credential-key.ts";
import { WebAuthnError } from "../../src/webauthn/error.ts";
import { importNewCredentialKey } from "../../src/webauthn/signature.ts";
import {
  type AuthenticatorAlgorithm,
  coseKey,
  coseMembers,
  createAuthenticator,
  newPrivateKey,
} from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import { outcome, register } from "./ceremony.ts";

const KEYS = { [-7]: newPrivateKey(-7), [-8]: newPrivateKey(-8), [-257]: newPrivateKey(-257) } as const;
const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex);

/** Registers a key whose COSE_Key was replaced by the given bytes, and returns the result. */
function withKey(publicKey: Uint8Array): Promise<string> {
  return outcome(() => register(createAuthenticator(), { privateKey: KEYS[-7], publicKey: () => publicKey }));
}

/** Returns the canonical key with some members replaced, added or (undefined) omitted. */
function changed(
  algorithm: AuthenticatorAlgorithm,
  changes: readonly (readonly [Cbor, Cbor | undefined])[],
): Uint8Array {
  const members = coseMembers(KEYS[algorithm], algorithm);
  for (const [label, value] of changes) {
    if (value === undefined) members.delete(label);
    else members.set(label, value);
  }
  return encodeCbor(members);
}

const P256 = coseMembers(KEYS[-7], -7);
const X = P256.get(-2) as Uint8Array;
const Y = P256.get(-3) as Uint8Array;
const ZERO = new Uint8Array(32);
const flip = (value: Uint8Array): Uint8Array => value.with(-1, value.at(-1)! ^ 1);
const canonical = encodeCbor(P256);
const tail = (from: number): Uint8Array => canonical.slice(from);

const REFUSED: readonly (readonly [what: string, key: Uint8Array, code: string])[] = [
  // 39. the algorithm was not offered
  ["without alg", changed(-7, [[3, undefined]]), "algorithm"],
  ["with a text as alg", changed(-7, [[3, "ES256"]]), "algorithm"],
  ["for ES384", changed(-7, [[3, -35]]), "algorithm"],
  ["for ES512", changed(-7, [[3, -36]]), "algorithm"],
  ["for ES256K", changed(-7, [[3, -47]]), "algorithm"],
  ["for PS256", changed(-257, [[3, -37]]), "algorithm"],
  ["for RS1", changed(-257, [[3, -65535]]), "algorithm"],
  ["for HS256", changed(-7, [[3, 5]]), "algorithm"],
  ["for alg 0", changed(-7, [[3, 0]]), "algorithm"],
  // 40. kty, alg and crv do not match
  ["without kty", changed(-7, [[1, undefined]]), "public_key"],
  ["of kty OKP with ES256", changed(-7, [[1, 1]]), "public_key"],
  ["of kty RSA with ES256", changed(-7, [[1, 3]]), "public_key"],
  ["of another algorithm's shape", changed(-8, [[3, -7]]), "public_key"],
  ["of a P-256 shape with EdDSA", changed(-7, [[3, -8]]), "public_key"],
  ["of a P-256 shape with RS256", changed(-7, [[3, -257]]), "public_key"],
  ["without crv", changed(-7, [[-1, undefined]]), "public_key"],
  ["on P-384 with ES256", changed(-7, [[-1, 2]]), "public_key"],
  ["on X25519 with EdDSA", changed(-8, [[-1, 4]]), "public_key"],
  ["on Ed448 with EdDSA", changed(-8, [[-1, 7]]), "public_key"],
  ["without x", changed(-7, [[-2, undefined]]), "public_key"],
  ["without y", changed(-7, [[-3, undefined]]), "public_key"],
  ["with a compressed y", changed(-7, [[-3, true]]), "public_key"],
  ["with a text as x", changed(-7, [[-2, "x".repeat(32)]]), "public_key"],
  // 41. lengths of coordinates
  ["with x of 31 bytes", changed(-7, [[-2, X.slice(1)]]), "public_key"],
  ["with x of 33 bytes", changed(-7, [[-2, concat(Uint8Array.of(0), X)]]), "public_key"],
  [
    "with x of 31 and y of 33 bytes",
    changed(-7, [[-2, X.slice(1)], [-3, concat(Uint8Array.of(0), Y)]]),
    "public_key",
  ],
  ["with an empty y", changed(-7, [[-3, new Uint8Array()]]), "public_key"],
  // 42. points off the curve
  ["off the curve", changed(-7, [[-3, flip(Y)]]), "public_key"],
  ["with x and y swapped", changed(-7, [[-2, Y], [-3, X]]), "public_key"],
  ["at (0, 0)", changed(-7, [[-2, ZERO], [-3, ZERO]]), "public_key"],
  [
    "at (2^256 - 1, 2^256 - 1)",
    changed(-7, [[-2, ZERO.map(() => 255)], [-3, ZERO.map(() => 255)]]),
    "public_key",
  ],
  // 43. private parts
  ["with a private d", changed(-7, [[-4, new Uint8Array(32).fill(1)]]), "public_key"],
  ["of Ed25519 with a private d", changed(-8, [[-4, new Uint8Array(32).fill(1)]]), "public_key"],
  ["of RSA with a private d", changed(-257, [[-3, new Uint8Array(256).fill(1)]]), "public_key"],
  // 44. not one canonical map
  ["of kty symmetric", encodeCbor(new Map<Cbor, Cbor>([[1, 4], [3, -7], [-1, ZERO]])), "public_key"],
  ["that is an array", encodeCbor([2, -7, 1, X, Y]), "algorithm"],
  ["that is an integer", encodeCbor(7), "authenticator_data"],
  ["that is an empty map", encodeCbor(new Map()), "algorithm"],
  ["with a repeated label", concat(bytes("a6"), tail(1), bytes("0326")), "authenticator_data"],
  [
    "with a label as integer and as text",
    concat(bytes("a6"), tail(1), bytes("613326")),
    "authenticator_data",
  ],
  ["with the labels as texts", changed(-7, [[1, undefined], ["1", 2]]), "public_key"],
  ["with kty in two bytes", concat(bytes("a5011802"), tail(3)), "authenticator_data"],
  ["with alg in three bytes", concat(bytes("a5010203390006"), tail(5)), "authenticator_data"],
  ["with a float as alg", concat(bytes("a5010203f9c700"), tail(5)), "authenticator_data"],
  ["with an indefinite map", concat(bytes("bf"), tail(1), bytes("ff")), "authenticator_data"],
  ["with its members in another order", concat(bytes("a5"), bytes("03260102"), tail(5)), "public_key"],
  ["with key_ops", changed(-7, [[4, [2]]]), "public_key"],
  ["with a key id", changed(-7, [[2, Uint8Array.of(1)]]), "public_key"],
  ["with an unknown member", changed(-7, [["x", 1]]), "public_key"],
  ["with __proto__", changed(-7, [["__proto__", new Map()]]), "authenticator_data"],
  // 45. RSA
  ["of RSA-1024", changed(-257, [[-1, new Uint8Array(128).fill(0xff)]]), "public_key"],
  ["of RSA-2047", changed(-257, [[-1, new Uint8Array(256).fill(0x7f)]]), "public_key"],
  [
    "of RSA-2048 behind a zero",
    changed(-257, [[-1, concat(Uint8Array.of(0), new Uint8Array(256).fill(0xff))]]),
    "public_key",
  ],
  ["of RSA-4104", changed(-257, [[-1, new Uint8Array(513).fill(0xff)]]), "public_key"],
  ["of RSA with an even modulus", changed(-257, [[-1, new Uint8Array(256).fill(0xfe)]]), "public_key"],
  ["of RSA with e = 1", changed(-257, [[-2, Uint8Array.of(1)]]), "public_key"],
  ["of RSA with e = 1 in three bytes", changed(-257, [[-2, Uint8Array.of(0, 0, 1)]]), "public_key"],
  ["of RSA with e = 3", changed(-257, [[-2, Uint8Array.of(3)]]), "public_key"],
  ["of RSA with e = 65536", changed(-257, [[-2, Uint8Array.of(1, 0, 0)]]), "public_key"],
  ["of RSA with e behind a zero", changed(-257, [[-2, Uint8Array.of(0, 1, 0, 1)]]), "public_key"],
  ["of RSA without n", changed(-257, [[-1, undefined]]), "public_key"],
  // 46. Ed25519
  ["of Ed25519 with 31 bytes", changed(-8, [[-2, new Uint8Array(31)]]), "public_key"],
  ["of Ed25519 with 33 bytes", changed(-8, [[-2, new Uint8Array(33)]]), "public_key"],
];

describe("credential public key (A.2 39 to 46)", () => {
  for (const [what, key, code] of REFUSED) {
    test(`verifyRegistration() refuses a key ${what}`, async () => assert.equal(await withKey(key), code));
  }

  for (const modulus of [256, 384, 436, 512]) {
    test(`importNewCredentialKey() accepts RSA of ${modulus * 8} bits (A.2 45)`, () => {
      const key = changed(-257, [[-1, new Uint8Array(modulus).fill(0xff)]]);
      assert.equal(importNewCredentialKey(key, -257, importVerifier).algorithm, -257);
    });
  }

  test("importNewCredentialKey() accepts the smallest moduli of 2048 and 2049 bits (A.2 45)", () => {
    for (const [first, length] of [[0x80, 256], [1, 257]] as const) {
      const modulus = new Uint8Array(length).with(0, first).with(-1, 1);
      assert.equal(
        importNewCredentialKey(changed(-257, [[-1, modulus]]), -257, importVerifier).algorithm,
        -257,
      );
    }
  });

  test("readCredentialKey() refuses every proper prefix and every longer key", () => {
    for (const algorithm of [-7, -8, -257] as const) {
      const key = coseKey(KEYS[algorithm], algorithm);
      for (let length = 0; length < key.length; length++) {
        assert.throws(() => readCredentialKey(key.slice(0, length), algorithm), WebAuthnError);
      }
      assert.throws(() => readCredentialKey(concat(key, Uint8Array.of(0)), algorithm), WebAuthnError);
    }
  });

  test("importNewCredentialKey() refuses an x that is larger than the field, though its residue is on the curve", () => {
    const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
    const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
    const encode = (value: bigint): Uint8Array => bytes(value.toString(16).padStart(64, "0"));
    let x = 1n;
    let y = 0n;
    for (;; x++) {
      const square = (((x * x * x - 3n * x + b) % p) + p) % p;
      y = power(square, (p + 1n) / 4n, p);
      if ((y * y) % p === square) break;
    }
    const key = (value: bigint): Uint8Array => changed(-7, [[-2, encode(value)], [-3, encode(y)]]);
    assert.equal(importNewCredentialKey(key(x), -7, importVerifier).algorithm, -7);
    assert.throws(() => importNewCredentialKey(key(x + p), -7, importVerifier), { code: "public_key" });
  });
});

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let square = base; exponent > 0n; exponent >>= 1n, square = (square * square) % modulus) {
    if ((exponent & 1n) === 1n) result = (result * square) % modulus;
  }
  return result;
}
