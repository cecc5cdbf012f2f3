import assert from "node:assert/strict";
import { test } from "node:test";
import type { JWTPayload } from "jose";
import { MINUTE, SECOND } from "../../../src/lib/time.ts";
import { verifyOwnJwt } from "../../../src/oauth/token/jwt.ts";
import { getSigningKey } from "../../../src/oauth/token/signing-key.ts";
import { ISSUER, NOW, openFixture } from "../fixture.ts";

/** The maximum of verified JWTs in memory. */
const MOST = 4096;

test("verifyOwnJwt() keeps the 4,096 newest JWTs in memory, and verifies an older one again", async () => {
  const { db, services } = await openFixture();
  const key = await getSigningKey(db, services, { algorithm: "EdDSA", now: NOW });
  const claims = { iss: ISSUER, sub: "a", aud: "b", iat: NOW / SECOND, exp: (NOW + MINUTE) / SECOND };
  const sign = (jti: number) => services.vault.signJwt(key, "JWT", { ...claims, jti: String(jti) });
  const tokens = await Promise.all(Array.from({ length: MOST + 1 }, (_, jti) => sign(jti)));
  const verify = async (index: number): Promise<Readonly<JWTPayload>> => {
    const token = tokens[index]!;
    const found = await verifyOwnJwt(db, services, { token, type: "JWT", expiry: "enforced", now: NOW });
    assert.equal(found?.["jti"], String(index));
    return found!;
  };
  const first: Readonly<JWTPayload>[] = [];
  for (let index = 0; index < MOST; index++) first.push(await verify(index));
  // A JWT in memory has the claims object of its first verification.
  assert.equal(await verify(0), first[0]);
  await verify(MOST);
  assert.equal(await verify(1), first[1]);
  assert.notEqual(await verify(0), first[0]);
  assert.notEqual(await verify(1), first[1]);
});
