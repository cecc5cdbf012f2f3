import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, sign as signNatively } from "node:crypto";
import { test } from "node:test";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import type { PublicJwk } from "../../src/lib/crypto.ts";
import { importVerifier, primitives } from "../../src/runtime/crypto.ts";

const LENGTHS = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 2047, 2048, 2049];

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

const OFF_CURVE = { kty: "EC", crv: "P-256", x: "A".repeat(43), y: `${"A".repeat(42)}E` };

test("the failed import of a key does not fail what comes next", async () => {
  const key = new Uint8Array(32);
  const data = new Uint8Array(3);
  const ecdsa = { name: "ECDSA", namedCurve: "P-256" };
  const used: Readonly<Record<string, () => unknown>> = {
    hmacSha256: () => primitives.hmacSha256(key, data),
    storedHmacSha256: () => primitives.storedHmacSha256(key, data),
    sha256: () => primitives.sha256(data),
  };
  for (const [name, use] of Object.entries(used)) {
    const before = use();
    for (const count of [1, 5]) {
      for (let done = 0; done < count; done++) {
        // Deno accepts the key.
        await crypto.subtle.importKey("jwk", OFF_CURVE, ecdsa, false, ["verify"]).catch(() => {});
      }
      assert.deepEqual(use(), before, name);
    }
  }
});

test("hmacSha256() and storedHmacSha256() give what @noble/hashes gives when keys and data have lengths around the block size", () => {
  for (const keyLength of LENGTHS) {
    for (const dataLength of LENGTHS) {
      const [key, data] = [randomBytes(keyLength), randomBytes(dataLength)];
      const expected = hmac(sha256, key, data);
      assert.deepEqual(primitives.hmacSha256(key, data), expected);
      assert.deepEqual(primitives.storedHmacSha256(key, data), expected);
    }
  }
});

test("sha256() gives what @noble/hashes gives when data has lengths around the block size", () => {
  for (const length of [...LENGTHS, 1000]) {
    const data = randomBytes(length);
    assert.deepEqual(primitives.sha256(data), sha256(data));
  }
});

/** Views of the same bytes, each over another kind of memory, and not from its start. */
const VIEWS: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array>> = {
  "part of an array": (bytes) => put(new Uint8Array(bytes.length + 9), bytes),
  "part of a Buffer": (bytes) => put(Buffer.alloc(bytes.length + 9), bytes),
  "part of shared memory": (bytes) => put(new Uint8Array(new SharedArrayBuffer(bytes.length + 9)), bytes),
  "part of resizable memory": (bytes) =>
    put(new Uint8Array(new ArrayBuffer(bytes.length + 9, { maxByteLength: 5000 })), bytes),
};

function put(memory: Uint8Array, bytes: Uint8Array): Uint8Array {
  memory.fill(0xff).set(bytes, 5);
  return memory.subarray(5, 5 + bytes.length);
}

for (const [name, viewOf] of Object.entries(VIEWS)) {
  test(`sha256() and both HMACs read exactly the bytes of a view, and return an array: ${name}`, () => {
    for (const length of [0, 1, 64, 65, 2049]) {
      const [key, data] = [randomBytes(length), randomBytes(length)];
      const [keyView, dataView] = [viewOf(key), viewOf(data)] as [typeof key, typeof data];
      assert.deepEqual(primitives.sha256(dataView), sha256(data));
      assert.deepEqual(primitives.hmacSha256(keyView, dataView), hmac(sha256, key, data));
      assert.deepEqual(primitives.storedHmacSha256(keyView, dataView), hmac(sha256, key, data));
      assert.deepEqual([new Uint8Array(keyView), new Uint8Array(dataView)], [key, data]);
    }
  });
}

test("sha256() returns an array of its own each time", () => {
  const [first, second] = [randomBytes(3), randomBytes(3)];
  const digest = primitives.sha256(first);
  primitives.sha256(second);
  assert.deepEqual(digest, sha256(first));
});

test("hmacSha256() gives RFC 4231 test case 2", () => {
  const key = new TextEncoder().encode("Jefe");
  const data = new TextEncoder().encode("what do ya want for nothing?");
  assert.equal(
    primitives.hmacSha256(key, data).toHex(),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

test("hkdfSha256() gives RFC 5869 test case 1", () => {
  const secret = new Uint8Array(22).fill(0x0b);
  const salt = Uint8Array.fromHex("000102030405060708090a0b0c");
  const info = Uint8Array.fromHex("f0f1f2f3f4f5f6f7f8f9");
  assert.equal(
    primitives.hkdfSha256(secret, salt, info, 42).toHex(),
    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
  );
});

const HKDFS = [["hkdfSha256", sha256], ["hkdfSha512", sha512]] as const;

for (const [name, hash] of HKDFS) {
  test(`${name}() gives what @noble/hashes gives when lengths vary`, () => {
    for (const saltLength of LENGTHS) {
      for (const length of [1, 32, 44, 48, 64, 65, 200]) {
        const [secret, salt, info] = [randomBytes(32), randomBytes(saltLength), randomBytes(length)];
        assert.deepEqual(
          primitives[name](secret, salt, info, length),
          hkdf(hash, secret, salt, info, length),
        );
      }
    }
  });
}

test("primitives return plain arrays with their own memory, so that wiping one wipes nothing else", () => {
  const bytes = new Uint8Array(32);
  const results = [
    primitives.hmacSha256(bytes, bytes),
    primitives.storedHmacSha256(bytes, bytes),
    primitives.sha256(bytes),
    primitives.hkdfSha256(bytes, bytes, bytes, 48),
    primitives.hkdfSha512(bytes, bytes, bytes, 48),
  ];
  for (const result of results) {
    assert.equal(Object.getPrototypeOf(result), Uint8Array.prototype);
    assert.equal(result.buffer.byteLength, result.length);
  }
});

const SIGNING = [
  { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
  { name: "Ed25519", hash: "SHA-256" },
  {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
] as const;

for (const parameters of SIGNING) {
  test(`importSigner() signs as Web Crypto verifies, after the key's bytes were wiped: ${parameters.name}`, async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(parameters as EcKeyGenParams, true, [
      "sign",
      "verify",
    ]);
    const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
    const importing = primitives.importSigner(parameters, pkcs8);
    pkcs8.fill(0);
    const sign = await importing;
    const { name, hash } = parameters;
    for (const length of [0, 1, 700]) {
      const data = new Uint8Array(length).fill(3);
      const signature = new Uint8Array(await sign(data));
      assert.ok(await crypto.subtle.verify({ name, hash }, publicKey, signature, data));
      const other = new Uint8Array(length + 1);
      assert.equal(await crypto.subtle.verify({ name, hash }, publicKey, signature, other), false);
    }
  });
}

test("importSigner() refuses a truncated P-256 key", async () => {
  const parameters = { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" } as const;
  const { privateKey } = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  // The first from OpenSSL, on Bun, the other from Web Crypto, on Deno.
  const isUnreadable = ({ code, name }: { code?: unknown; name: string }): boolean =>
    String(code).startsWith("ERR_OSSL_ASN1") || name === "DataError";
  for (const length of [0, 36, 60, 68, 100, pkcs8.length - 1]) {
    await assert.rejects(
      primitives.importSigner(parameters, pkcs8.slice(0, length)),
      isUnreadable,
      `${length} bytes`,
    );
  }
});

for (const parameters of SIGNING) {
  test(`importVerifier() accepts only what Web Crypto signs: ${parameters.name}`, async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(parameters as EcKeyGenParams, true, [
      "sign",
      "verify",
    ]);
    const publicJwk = await crypto.subtle.exportKey("jwk", publicKey);
    const verify = importVerifier(publicJwk as PublicJwk, "ieee-p1363");
    const message = randomBytes(100);
    const { name, hash } = parameters;
    const signature = new Uint8Array(await crypto.subtle.sign({ name, hash }, privateKey, message));
    assert.equal(verify(message, signature), true);
    assert.equal(verify(message.with(50, message[50]! ^ 1), signature), false);
    for (let at = 0; at < signature.length; at += 7) {
      assert.equal(verify(message, signature.with(at, signature[at]! ^ 1)), false, `byte ${at}`);
      assert.equal(verify(message, signature.slice(0, at)), false, `${at} bytes`);
    }
    assert.equal(verify(message, new Uint8Array(signature.length)), false);
  });
}

test("importVerifier() accepts ECDSA signatures of the requested encoding only", async () => {
  const { publicJwk, pkcs8 } = await primitives.makeSigningKey(SIGNING[0]);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const message = randomBytes(100);
  for (const encoding of ["der", "ieee-p1363"] as const) {
    const verify = importVerifier(publicJwk as PublicJwk, encoding);
    for (const dsaEncoding of ["der", "ieee-p1363"] as const) {
      const signature = signNatively("sha256", message, { key, dsaEncoding });
      assert.equal(verify(message, signature), dsaEncoding === encoding, `${dsaEncoding} for ${encoding}`);
    }
  }
});

test("importVerifier() refuses a P-256 point that is not on its curve", async () => {
  const { publicJwk } = await primitives.makeSigningKey(SIGNING[0]);
  const { x } = publicJwk as PublicJwk & { kty: "EC" };
  for (const encoding of ["der", "ieee-p1363"] as const) {
    assert.throws(() => importVerifier({ kty: "EC", crv: "P-256", x, y: x }, encoding), Error);
  }
});
