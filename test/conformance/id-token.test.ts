import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey, JWK } from "jose";
import { createClient } from "../support/client.ts";
import { checkIdToken } from "./id-token.ts";
import type { Op } from "./op.ts";

const ISSUER = "https://op.example";
const NOW = Date.UTC(2026, 0, 31, 9, 30) / 1000;
const EXPECTED = { audience: "client", nonce: "the nonce" };

const GOOD = {
  iss: ISSUER,
  sub: "account_1",
  aud: "client",
  iat: NOW - 1,
  exp: NOW + 3600,
  auth_time: NOW - 60,
  nonce: "the nonce",
};

const FAULTS: Readonly<Record<string, object>> = {
  "another issuer": { iss: `${ISSUER}/` },
  "another audience": { aud: "other" },
  "a further audience": { aud: ["client", "other"] },
  "another azp": { azp: "other" },
  "no exp": { exp: undefined },
  "an exp in the past": { exp: NOW },
  "times in milliseconds": { exp: (NOW + 3600) * 1000 },
  "an iat in the future": { iat: NOW + 1 },
  "an old iat": { iat: NOW - 300, auth_time: NOW - 400 },
  "an nbf in the future": { nbf: NOW + 1 },
  "an auth_time after iat": { auth_time: NOW },
  "an auth_time as text": { auth_time: String(NOW - 60) },
  "another nonce": { nonce: "x" },
  "no nonce": { nonce: undefined },
  "no sub": { sub: undefined },
  "a long sub": { sub: "s".repeat(256) },
  "a sub with other characters than ASCII": { sub: "jemänd" },
  "an empty acr": { acr: "" },
  "an amr that is not a list": { amr: "pop" },
  "another at_hash": { at_hash: "AAAAAAAAAAAAAAAAAAAAAA" },
};

describe("checkIdToken()", () => {
  let op: Op;
  let privateKey: CryptoKey;
  let otherKey: CryptoKey;

  before(async () => {
    const pair = await generateKeyPair("ES256");
    privateKey = pair.privateKey;
    otherKey = (await generateKeyPair("ES256")).privateKey;
    const key: JWK = { ...await exportJWK(pair.publicKey), kid: "1", alg: "ES256", use: "sig" };
    op = {
      origin: ISSUER,
      metadata: { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` },
      now: () => NOW * 1000,
      client: () => createClient(ISSUER, () => Promise.resolve(Response.json({ keys: [key] }))),
    } as unknown as Op;
  });

  function sign(change: object, { key = privateKey, kid = "1" } = {}): Promise<string> {
    return new SignJWT({ ...GOOD, ...change }).setProtectedHeader({ alg: "ES256", kid }).sign(key);
  }

  function check(id_token: unknown, change: object = {}): Promise<unknown> {
    return checkIdToken(op, { id_token, access_token: "token" }, { ...EXPECTED, ...change });
  }

  test("returns the claims of a valid token", async () => {
    assert.deepEqual(await check(await sign({})), GOOD);
  });

  for (const [fault, change] of Object.entries(FAULTS)) {
    test(`rejects ${fault}`, async () => {
      await assert.rejects(check(await sign(change)), { name: "AssertionError" });
    });
  }

  test("rejects a nonce that was not sent, no auth_time after max_age, and another algorithm", async () => {
    await assert.rejects(check(await sign({}), { nonce: undefined }), { name: "AssertionError" });
    const bare = await sign({ auth_time: undefined });
    await assert.rejects(check(bare, { mustHaveAuthTime: true }), { name: "AssertionError" });
    await assert.rejects(check(await sign({}), { algorithm: "RS256" }), { name: "AssertionError" });
  });

  test("rejects an unpublished key, a signature with another key, and a missing token", async () => {
    await assert.rejects(check(await sign({}, { kid: "2" })), { name: "AssertionError" });
    await assert.rejects(check(await sign({}, { key: otherKey })), {
      code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
    });
    await assert.rejects(check(undefined), { name: "AssertionError" });
  });
});
