import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import type { TokenAlgorithm } from "../../src/db/schema/oauth.ts";
import { transaction } from "../../src/db/transaction.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { HOUR, SECOND } from "../../src/lib/time.ts";
import { withdrawConsent } from "../../src/oauth/authorize/consent.ts";
import { deleteClient } from "../../src/oauth/client/client-administration.ts";
import { introspectToken, revokeToken } from "../../src/oauth/token/introspection.ts";
import { getSigningKey, publicJwks } from "../../src/oauth/token/signing-key.ts";
import { readUserInfo } from "../../src/oauth/token/userinfo.ts";
import { isInconsistent } from "../support/state.ts";
import {
  afterStart,
  deleteAccount,
  ISSUER,
  NOW,
  oauthError,
  register,
  signInAgain,
  signInPerson,
} from "./fixture.ts";
import {
  credentials,
  getCode,
  getTokens,
  jwtPart,
  openStory,
  redeem,
  refreshWith,
  sentToken,
  withPayload,
} from "./story.ts";
import type { Fields, Story } from "./story.ts";

const SLOW = { timeout: 30_000 };
const INVALID_TOKEN = oauthError("invalid_token");
const SECONDS = NOW / 1000;

function userInfo({ db, services }: Story, accessToken: string, now = NOW) {
  return readUserInfo(db, services, { sent: sentToken(accessToken), now });
}

async function withdraw({ db, services, signedIn, client: { clientId } }: Story): Promise<void> {
  const value = { accountId: signedIn.account.id, clientId, now: NOW };
  await transaction(db, (tx) => withdrawConsent(tx, services, value));
}

function introspect(
  { db, services }: Story,
  token: string,
  by: Parameters<typeof credentials>[0],
  now = NOW,
) {
  return introspectToken(db, services, credentials(by, { token }, now));
}

function revoke({ db, services }: Story, form: Fields, by: Parameters<typeof credentials>[0], now = NOW) {
  return revokeToken(db, services, credentials(by, form, now));
}

describe("tokens", SLOW, () => {
  for (const algorithm of ["ES256", "RS256", "EdDSA"] satisfies TokenAlgorithm[]) {
    test(`include an ID token in ${algorithm} as in OpenID Connect (T114)`, async () => {
      await using story = await openStory({ idTokenSignedResponseAlg: algorithm });
      const { id_token, access_token } = await getTokens(story);
      const jwks = createLocalJWKSet(await publicJwks(story.db, story.services, NOW));
      const { payload, protectedHeader } = await jwtVerify(id_token, jwks, {
        issuer: ISSUER,
        audience: story.client.clientId,
        algorithms: [algorithm],
        currentDate: new Date(NOW),
      });
      assert.equal(protectedHeader.typ, "JWT");
      const { sid } = await story.db.selectFrom("authorization_grant").select("sid")
        .executeTakeFirstOrThrow();
      assert.match(sid!, /^sid_[0-9a-v]{26}$/);
      const hash = createHash(algorithm === "EdDSA" ? "sha512" : "sha256").update(access_token).digest();
      assert.deepEqual(payload, {
        iss: ISSUER,
        aud: story.client.clientId,
        sub: story.signedIn.account.id,
        iat: SECONDS,
        exp: SECONDS + 3600,
        auth_time: SECONDS - 60,
        sid,
        nonce: "the nonce",
        at_hash: hash.subarray(0, hash.length / 2).toString("base64url"),
        acr: "phr",
        amr: ["pop", "user", "mfa"],
        email: "alice@example.com",
        email_verified: true,
      });
    });
  }

  test("have the same sid each time in a session, after a refresh too", async () => {
    await using story = await openStory();
    const [first, second] = [await getTokens(story), await getTokens(story)];
    const refreshed = await refreshWith(story, first.refresh_token);
    const sids = [first, second, refreshed].map(({ id_token }) => decodeJwt(id_token)["sid"]);
    assert.equal(new Set(sids).size, 1);
    const again = { ...story, signedIn: await signInAgain(story, story.signedIn.account) };
    assert.notEqual(decodeJwt((await getTokens(again)).id_token)["sid"], sids[0]);
  });

  test("include an access token as in RFC 9068, each with its own jti (T113, T119)", async () => {
    await using story = await openStory();
    const [first, second] = [await getTokens(story), await getTokens(story)];
    const jwks = createLocalJWKSet(await publicJwks(story.db, story.services, NOW));
    const { payload, protectedHeader } = await jwtVerify(first.access_token, jwks, {
      currentDate: new Date(NOW),
    });
    assert.deepEqual(Object.keys(protectedHeader).sort(), ["alg", "kid", "typ"]);
    assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ["EdDSA", "at+jwt"]);
    const { jti, grant_id, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: ISSUER,
      aud: ISSUER,
      sub: story.signedIn.account.id,
      client_id: story.client.clientId,
      scope: "openid",
      auth_time: SECONDS - 60,
      iat: SECONDS,
      exp: SECONDS + 3600,
    });
    assert.match(String(grant_id), /^grant_/);
    assert.notEqual(jwtPart(second.access_token, 1)["jti"], jti);
  });

  test("have no nonce if none was sent, and one of 384 characters unchanged (T59f)", async () => {
    await using story = await openStory();
    for (const nonce of [undefined, "n".repeat(384), "n".repeat(64)]) {
      const { id_token } = await redeem(story, await getCode(story, { nonce }));
      assert.equal(jwtPart(id_token, 1)["nonce"], nonce);
    }
  });
});

describe("readUserInfo()", SLOW, () => {
  test("returns the ID token's claims about the user (T125)", async () => {
    await using story = await openStory();
    const { access_token, id_token } = await getTokens(story);
    const { sub, email, email_verified } = jwtPart(id_token, 1);
    assert.deepEqual(await userInfo(story, access_token), { sub, email, email_verified });
  });

  test("refuses an expired token and malformed ones (T122)", async () => {
    await using story = await openStory();
    const { access_token } = await getTokens(story);
    await userInfo(story, access_token, NOW + HOUR - SECOND);
    await assert.rejects(userInfo(story, access_token, NOW + HOUR), INVALID_TOKEN);
    for (const token of ["", "x", "a.b.c", "..", "e30.e30.", "A".repeat(9000)]) {
      await assert.rejects(userInfo(story, token), INVALID_TOKEN);
    }
  });

  test("refuses a token that it accepted before, once any character has changed", async () => {
    await using story = await openStory();
    const { access_token, id_token } = await getTokens(story);
    await userInfo(story, access_token);
    await userInfo(story, access_token);
    const bent = [
      access_token.slice(0, -2),
      `${access_token}A`,
      `${access_token}.`,
      withPayload(access_token, { exp: SECONDS + 7200 }),
    ];
    for (const token of [...bent, id_token]) await assert.rejects(userInfo(story, token), INVALID_TOKEN);
    await assert.rejects(userInfo(story, access_token, NOW + HOUR), INVALID_TOKEN);
    const elsewhere = { ...story, services: { ...story.services, issuer: "https://other.example" } };
    await assert.rejects(userInfo(elsewhere, access_token), INVALID_TOKEN);
    await userInfo(story, access_token);
    await withdraw(story);
    await assert.rejects(userInfo(story, access_token), INVALID_TOKEN);
  });

  test("is refused as inconsistent while the token keys in the database are edited or missing", async () => {
    await using story = await openStory();
    const { access_token } = await getTokens(story);
    await userInfo(story, access_token);
    const keys = await story.db.selectFrom("token_key").selectAll().where("algorithm", "=", "EdDSA")
      .execute();
    await story.db.updateTable("token_key").set({ public_jwk: "{}" }).where("algorithm", "=", "EdDSA")
      .execute();
    await userInfo(story, access_token);
    await assert.rejects(userInfo(afterStart(story), access_token), isInconsistent);
    await story.db.deleteFrom("token_key").where("algorithm", "=", "EdDSA").execute();
    await userInfo(story, access_token);
    await assert.rejects(userInfo(afterStart(story), access_token), isInconsistent);
    await story.db.insertInto("token_key").values(keys).execute();
    await userInfo(afterStart(story), access_token);
  });

  test("refuses ID tokens, codes and refresh tokens (T92, T115, T116)", async () => {
    await using story = await openStory();
    const { id_token, refresh_token } = await getTokens(story);
    for (const token of [id_token, refresh_token, await getCode(story)]) {
      await assert.rejects(userInfo(story, token), INVALID_TOKEN);
    }
    const key = await getSigningKey(story.db, story.services, { algorithm: "ES256", now: NOW });
    const claims = jwtPart((await getTokens(story)).access_token, 1);
    for (const type of ["logout+jwt", "JWT", "jwt", ""]) {
      await assert.rejects(
        userInfo(story, await story.services.vault.signJwt(key, type, claims)),
        INVALID_TOKEN,
      );
    }
  });

  test("refuses our own signature over claims that are not an access token's (T117)", async () => {
    await using story = await openStory();
    const claims = jwtPart((await getTokens(story)).access_token, 1);
    const key = await getSigningKey(story.db, story.services, { algorithm: "ES256", now: NOW });
    const bent: Record<string, unknown>[] = [
      { aud: story.client.clientId },
      { aud: [ISSUER, "https://other.example"] },
      { iss: ISSUER + "/" },
      { exp: undefined },
      { iat: undefined },
      { sub: undefined },
      { exp: SECONDS },
      { nbf: SECONDS + 60 },
      { sub: "account_other" },
      { client_id: "0".repeat(26) },
      { grant_id: "grant_other" },
      { grant_id: undefined },
      { scope: undefined },
    ];
    const sign = (change: object) => story.services.vault.signJwt(key, "at+jwt", { ...claims, ...change });
    await userInfo(story, await sign({}));
    for (const change of bent) await assert.rejects(userInfo(story, await sign(change)), INVALID_TOKEN);
    await assert.rejects(userInfo(story, await sign({ scope: "" })), oauthError("insufficient_scope"));
  });

  test("refuses every modified signature, and signatures with other keys (T117)", async () => {
    await using story = await openStory();
    const { access_token } = await getTokens(story);
    const [header, payload, signature] = access_token.split(".") as [string, string, string];
    const { kid } = jwtPart(access_token, 0) as { kid: string };
    const claims = jwtPart(access_token, 1);
    const encode = (value: object) => toBase64url(utf8(JSON.stringify(value)));
    const headed = (change: object) =>
      [encode({ alg: "EdDSA", typ: "at+jwt", kid, ...change }), payload, signature].join(".");
    const { keys: [publicJwk] } = await publicJwks(story.db, story.services, NOW);
    const own = await generateKeyPair("EdDSA", { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    const signAs = (head: object, key: CryptoKey | Uint8Array = own.privateKey) =>
      new SignJWT(claims as never).setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid, ...head }).sign(
        key,
      );
    const lastBits = signature.slice(0, -1) + (signature.endsWith("A") ? "B" : "A");
    const bent = [
      [header, payload, ""].join("."),
      [header, payload].join("."),
      [encode({ alg: "none", typ: "at+jwt", kid }), payload, ""].join("."),
      [encode({ alg: "none", typ: "at+jwt" }), payload, signature].join("."),
      headed({ kid: "other" }),
      headed({ kid: undefined }),
      headed({ alg: "RS256" }),
      headed({ crit: ["x"], x: 1 }),
      headed({ jku: "https://evil.example/jwks" }),
      withPayload(access_token, { ...claims, sub: "account_other" }),
      [header, payload, toBase64url(new Uint8Array(64))].join("."),
      [header, payload, signature.slice(0, -2)].join("."),
      [header, payload, signature + "AA"].join("."),
      [header, payload, lastBits].join("."),
      [header, payload, signature + "="].join("."),
      access_token + ".",
      access_token + "\n",
      " " + access_token,
      await signAs({}),
      await signAs({ jwk }),
      await signAs({ x5u: "https://evil.example/", jku: "https://evil.example/" }),
      await signAs({ alg: "HS256" }, utf8(JSON.stringify(publicJwk))),
    ];
    for (const token of bent) await assert.rejects(userInfo(story, token), INVALID_TOKEN, token);
    await userInfo(story, access_token);
  });

  test("refuses a token whose account, client or grant was deleted (T126)", async () => {
    const endings: ((story: Story) => Promise<unknown>)[] = [
      (story) => deleteAccount(story, story.signedIn.account.id),
      withdraw,
      ({ db, services, client: { clientId } }) =>
        transaction(db, (tx) => deleteClient(tx, services, { clientId, now: NOW })),
    ];
    for (const end of endings) {
      await using story = await openStory();
      const { access_token } = await getTokens(story);
      await end(story);
      await assert.rejects(userInfo(story, access_token), INVALID_TOKEN);
    }
  });

  test("refuses a token after a start whose grant was deleted in the database", async () => {
    await using story = await openStory();
    const { access_token } = await getTokens(story);
    await story.db.deleteFrom("authorization_grant").execute();
    await assert.rejects(userInfo(afterStart(story), access_token), isInconsistent);
  });
});

describe("introspectToken()", SLOW, () => {
  test("describes the client's valid tokens (T127)", async () => {
    await using story = await openStory();
    const { access_token, refresh_token } = await getTokens(story);
    const common = {
      active: true,
      client_id: story.client.clientId,
      sub: story.signedIn.account.id,
      iss: ISSUER,
    };
    assert.deepEqual(await introspect(story, access_token, story), {
      ...common,
      scope: "openid",
      iat: SECONDS,
      exp: SECONDS + 3600,
      token_type: "Bearer",
      aud: ISSUER,
      jti: jwtPart(access_token, 1)["jti"],
    });
    assert.deepEqual(await introspect(story, refresh_token, story), {
      ...common,
      scope: "openid",
      iat: SECONDS,
      exp: SECONDS + 7 * 86_400,
    });
  });

  test("reports every other token only as inactive (T127)", async () => {
    await using story = await openStory();
    const { access_token, refresh_token, id_token } = await getTokens(story);
    const other = await register(story);
    const inactive = { active: false };
    for (const token of ["x", id_token, await getCode(story), access_token + "A", "A".repeat(9000)]) {
      assert.deepEqual(await introspect(story, token, story), inactive);
    }
    for (const token of [access_token, refresh_token]) {
      assert.deepEqual(await introspect(story, token, other), inactive);
      assert.deepEqual(await introspect(story, token, story, NOW + 8 * 24 * HOUR), inactive);
    }
    await refreshWith(story, refresh_token);
    assert.deepEqual(await introspect(story, refresh_token, story), inactive);
    await revoke(story, { token: access_token }, story);
    assert.deepEqual(await introspect(story, access_token, story), inactive);
  });

  test("requires client authentication and a token", async () => {
    await using story = await openStory({ type: "spa" });
    const { access_token } = await getTokens(story);
    await assert.rejects(introspect(story, access_token, story), oauthError("invalid_client"));
    const web = await register(story);
    await assert.rejects(introspect(story, "", web), oauthError("invalid_request"));
    const wrong = { ...web, clientSecret: "x" };
    await assert.rejects(introspect(story, access_token, wrong), oauthError("invalid_client"));
  });
});

describe("revokeToken()", SLOW, () => {
  for (const kind of ["refresh_token", "access_token"] as const) {
    for (const token_type_hint of [undefined, "access_token", "refresh_token", "x"]) {
      test(`ends the grant of ${kind} when the hint is ${token_type_hint} (T111, T128)`, async () => {
        await using story = await openStory();
        const tokens = await getTokens(story);
        const other = await getTokens(story);
        for (let time = 0; time < 2; time++) {
          await revoke(story, { token: tokens[kind], token_type_hint }, story);
        }
        await assert.rejects(userInfo(story, tokens.access_token), INVALID_TOKEN);
        await assert.rejects(refreshWith(story, tokens.refresh_token), oauthError("invalid_grant"));
        await userInfo(story, other.access_token);
      });
    }
  }

  test("ends the grant of a used refresh token", async () => {
    await using story = await openStory({ type: "spa" });
    const tokens = await getTokens(story);
    const next = await refreshWith(story, tokens.refresh_token);
    await revoke(story, { token: tokens.refresh_token }, story);
    await assert.rejects(refreshWith(story, next.refresh_token), oauthError("invalid_grant"));
  });

  test("ignores another client's and unknown tokens, without an error (T128)", async () => {
    await using story = await openStory();
    const tokens = await getTokens(story);
    const other = await register(story);
    for (const token of [tokens.access_token, tokens.refresh_token, tokens.id_token, "x"]) {
      await revoke(story, { token }, other);
    }
    await revoke(story, { token: tokens.id_token }, story);
    await userInfo(story, tokens.access_token);
    await refreshWith(story, tokens.refresh_token);
  });

  test("requires client authentication (T129) and a token", async () => {
    await using story = await openStory();
    const wrong = { ...story, clientSecret: "x" };
    await assert.rejects(revoke(story, { token: "x" }, wrong), oauthError("invalid_client"));
    for (const token of [undefined, ""]) {
      await assert.rejects(revoke(story, { token }, story), oauthError("invalid_request"));
    }
  });

  test("fails when the database fails (T147)", async () => {
    await using story = await openStory();
    const tokens = await getTokens(story);
    const broken = {
      ...story.services,
      groupCommit: { run: () => Promise.reject(new Error("The disk is full")) },
    };
    const sent = revokeToken(story.db, broken, credentials(story, { token: tokens.refresh_token }));
    await assert.rejects(sent, /disk is full/);
    await refreshWith(story, tokens.refresh_token);
  });
});

test("sub is the account's id for every client, and no client's id (T130, T131)", async () => {
  const story = await openStory();
  const other = { ...story, ...await register(story) };
  const subs = [await getTokens(story), await getTokens(other)].map(({ id_token }) =>
    jwtPart(id_token, 1)["sub"]
  );
  assert.deepEqual(subs, [story.signedIn.account.id, story.signedIn.account.id]);
  const bob = { ...story, signedIn: await signInPerson(story, "bob@example.com") };
  assert.notEqual(jwtPart((await getTokens(bob)).id_token, 1)["sub"], subs[0]);
  assert.match(String(subs[0]), /^account_/);
  assert.doesNotMatch(story.client.clientId, /_/);
});
