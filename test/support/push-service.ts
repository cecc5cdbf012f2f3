import assert from "node:assert/strict";
import { importJWK, type JWK, jwtVerify } from "jose";
import { concat, fromBase64url, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import type { FetchInit } from "../../src/lib/outgoing.ts";

const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;

/** A browser's side of a subscription (RFC 8291 section 2). */
export interface PushBrowser {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Decrypts the body of a request (RFC 8291 section 3, RFC 8188 section 2). Rejects if it is not for this browser. */
  decrypt(body: Uint8Array): Promise<string>;
}

async function hkdf(salt: Uint8Array, secret: Uint8Array, info: Uint8Array, bytes: number) {
  const key = await crypto.subtle.importKey("raw", secret as BufferSource, "HKDF", false, ["deriveBits"]);
  const parameters = {
    name: "HKDF",
    hash: "SHA-256",
    salt: salt as BufferSource,
    info: info as BufferSource,
  };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, bytes * 8));
}

/** Creates a browser from its key pair and authentication secret. */
export async function openPushBrowser(
  pair: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey },
  auth: Uint8Array,
): Promise<PushBrowser> {
  const own = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    keys: { p256dh: toBase64url(own), auth: toBase64url(auth) },
    decrypt: async (body) => {
      const salt = body.subarray(0, 16);
      const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
      const idLength = body[20]!;
      const sender = body.slice(21, 21 + idLength);
      const content = body.slice(21 + idLength);
      // One record: RFC 8291 section 4 forbids more.
      assert.ok(content.length <= view.getUint32(16));
      const theirs = await crypto.subtle.importKey("raw", sender, ECDH, false, []);
      const shared = new Uint8Array(
        await crypto.subtle.deriveBits({ name: "ECDH", public: theirs }, pair.privateKey, 256),
      );
      const secret = await hkdf(auth, shared, concat(utf8("WebPush: info\0"), own, sender), 32);
      const raw = await hkdf(salt, secret, utf8("Content-Encoding: aes128gcm\0"), 16);
      const iv = await hkdf(salt, secret, utf8("Content-Encoding: nonce\0"), 12);
      const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
      const padded = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, content));
      const end = padded.findLastIndex((byte) => byte !== 0);
      assert.equal(padded[end], 2, "the delimiter of the last record");
      return new TextDecoder().decode(padded.subarray(0, end));
    },
  };
}

export async function createPushBrowser(): Promise<PushBrowser> {
  const pair = await crypto.subtle.generateKey(ECDH, true, ["deriveBits"]);
  return await openPushBrowser(pair as CryptoKeyPair, crypto.getRandomValues(new Uint8Array(16)));
}

/** Returns the claims of a request after verifying its VAPID header (RFC 8292 sections 2 and 3). */
export async function verifyVapid(
  url: string,
  { headers }: Pick<FetchInit, "headers">,
  publicKey: string,
): Promise<{ readonly sub?: string; readonly exp?: number }> {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/i.exec(authorization ?? "") ?? [];
  assert.equal(key, publicKey);
  const point = fromBase64url(publicKey)!;
  const [x, y] = [toBase64url(point.subarray(1, 33)), toBase64url(point.subarray(33))];
  const jwk: JWK = { kty: "EC", crv: "P-256", x, y };
  const audience = new URL(url).origin;
  const { payload } = await jwtVerify(token!, await importJWK(jwk, "ES256"), { audience });
  const now = Date.now() / 1000;
  assert.ok(payload.exp! > now && payload.exp! <= now + 86_400, "section 2: at most 24 hours");
  return payload;
}
