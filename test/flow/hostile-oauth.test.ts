import assert from "node:assert/strict";
import { describe } from "node:test";
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { hashSecret } from "../../src/accounts/session/bearer-secret.ts";
import {
  assertNoCode,
  assertRefused,
  CHOSEN,
  edit,
  insert,
  row,
  SOME_ID,
  testAttacks,
} from "../support/hostile-oauth.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import type { Attacks, Stage } from "../support/hostile-oauth.ts";
import {
  askForConsent,
  authorizePath,
  decide,
  exchange,
  getCode,
  getTokens,
  locationOf,
  pendingOf,
  pkcePair,
  postForm,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";

const CLIENT_ATTACKS: Attacks = {
  "a redirect URI of the operator's in a client": async (stage) => {
    await edit(
      stage,
      `update client set redirect_uris = '["https://evil.example/cb"]' where id = '${stage.books.clientId}'`,
    );
    const answer = await stage.victim.get(
      authorizePath(stage.books, pkcePair(), { redirect_uri: "https://evil.example/cb" }),
    );
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get("location"), null);
  },
  "two clients' redirect URIs and MACs swapped": async (stage) => {
    const { books, evil } = stage;
    const other = await row(stage, "client", `id = '${evil.clientId}'`);
    const { redirect_uris, mac } = other as never as { redirect_uris: string; mac: Uint8Array };
    await stage.app.db.updateTable("client").set({ redirect_uris, mac }).where("id", "=", books.clientId)
      .execute();
    dropMemory(stage.app.db);
    const path = authorizePath(books, pkcePair(), { redirect_uri: "https://evil.example/cb" });
    assert.equal((await stage.victim.get(path)).status, 503);
  },
  "a client secret that the operator knows": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    await edit(
      stage,
      `update client set secret_hash = '${hashSecret(CHOSEN)}' where id = '${books.clientId}'`,
    );
    assertRefused(
      await exchange(provider, { ...books, clientSecret: CHOSEN }, given),
      "invalid_client",
    );
  },
  "a client secret removed, which would make the client public": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    await edit(stage, `update client set secret_hash = null, type = 'spa' where id = '${books.clientId}'`);
    const { clientSecret: _, ...secretless } = books;
    assertRefused(await exchange(provider, secretless, given), "invalid_client");
  },
  "a disabled client enabled": async (stage) => {
    const { app, provider, books } = stage;
    const tokens = await getTokens(provider, stage.victim, books);
    const admin = { authorization: `Bearer ${ADMIN_KEY}` };
    const path = `/api/admin/oauth/clients/${books.clientId}`;
    await app.client().request("PATCH", path, { headers: admin, body: { disabled: true } });
    await edit(stage, `update client set disabled = 0 where id = '${books.clientId}'`);
    assertRefused(await refresh(provider, books, tokens.refresh_token), "invalid_client");
    assertInconsistent(await userinfo(provider, tokens.access_token));
    assert.equal((await stage.victim.get(authorizePath(books, pkcePair()))).status, 503);
  },
  "a client that was never registered": async (stage) => {
    const template = await row(stage, "client", `id = '${stage.evil.clientId}'`);
    await insert(stage, "client", { ...template, id: SOME_ID });
    const forged = { ...stage.evil, clientId: SOME_ID };
    assert.equal((await stage.victim.get(authorizePath(forged, pkcePair()))).status, 400);
  },
  "another name in a client, to be mistaken on the consent page": async (stage) => {
    await edit(stage, `update client set name = 'Books' where id = '${stage.evil.clientId}'`);
    assert.equal((await stage.victim.get(authorizePath(stage.evil, pkcePair()))).status, 503);
  },
};

const REQUEST_ATTACKS: Attacks = {
  "a pending request with another redirect URI": async (stage) => {
    const redirectUris = ["https://books.example/cb", "https://books.example/open?to="];
    const client = await registerClient(stage.provider, { redirectUris });
    const request = await askForConsent(stage.victim, client, pkcePair());
    await edit(stage, `update authorization_request set redirect_uri = '${redirectUris[1]}'`);
    assertNoCode(await decide(stage.victim, request));
  },
  "a pending request with the operator's challenge": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    await edit(stage, `update authorization_request set code_challenge = '${pkcePair().challenge}'`);
    assertNoCode(await decide(stage.victim, request));
  },
  "a pending request moved to another client": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    await edit(
      stage,
      `update authorization_request set client_id = '${stage.evil.clientId}', redirect_uri = 'https://evil.example/cb'`,
    );
    assertNoCode(await decide(stage.victim, request));
  },
  "the victim's pending request bound to the operator's browser and session": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    const own = await askForConsent(stage.operator, stage.books, pkcePair());
    const { browser_hash, session_id } = await row(stage, "authorization_request", `id = '${own}'`);
    await edit(
      stage,
      `update authorization_request set browser_hash = '${browser_hash}', session_id = '${session_id}' where id = '${request}'`,
    );
    assertNoCode(await decide(stage.operator, request));
  },
  "the operator's own request under the victim's id": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    const own = await askForConsent(stage.operator, stage.books, pkcePair());
    await edit(stage, `delete from authorization_request where id = '${request}'`);
    await edit(stage, `update authorization_request set id = '${request}' where id = '${own}'`);
    assertNoCode(await decide(stage.operator, request));
    assertNoCode(await decide(stage.victim, request));
  },
  "a decided request, restored": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    const kept = await row(stage, "authorization_request", `id = '${request}'`);
    assert.match(locationOf(await decide(stage.victim, request)).href, /code=/);
    await insert(stage, "authorization_request", { ...kept, id: `request_${SOME_ID}` });
    assertNoCode(await decide(stage.victim, `request_${SOME_ID}`));
  },
  "an expired request with a later expiry": async (stage) => {
    const request = await askForConsent(stage.victim, stage.books, pkcePair());
    stage.app.now += 61 * 60_000;
    await edit(stage, `update authorization_request set expires_at = ${stage.app.now + 1_000_000}`);
    assertNoCode(await decide(stage.victim, request));
  },
  "prompt and max_age removed from a request": async (stage) => {
    const path = authorizePath(stage.books, pkcePair(), { prompt: "login", max_age: "0" });
    const request = pendingOf(await stage.victim.get(path), "/sign-in");
    await edit(stage, "update authorization_request set prompt = '', max_age = null");
    assertNoCode(await stage.victim.get(`/consent?request=${request}`));
  },
};

const CONSENT_ATTACKS: Attacks = {
  "a consent of the operator'smoved to the victim": async (stage) => {
    await getCode(stage.operator, stage.evil);
    await edit(stage, `update consent set account_id = '${stage.victimId}'`);
    pendingOf(await stage.victim.get(authorizePath(stage.evil, pkcePair())), "/consent");
  },
  "a consent of the victim'smoved to another client": async (stage) => {
    await getCode(stage.victim, stage.books);
    await edit(
      stage,
      `update consent set client_id = '${stage.evil.clientId}', redirect_target = 'https://evil.example'`,
    );
    assert.equal((await stage.victim.get(authorizePath(stage.evil, pkcePair()))).status, 503);
  },
  "a consent copied for another client": async (stage) => {
    await getCode(stage.victim, stage.books);
    const consent = await row(stage, "consent", `account_id = '${stage.victimId}'`);
    const redirect_target = "https://evil.example";
    await insert(stage, "consent", { ...consent, client_id: stage.evil.clientId, redirect_target });
    const silent = authorizePath(stage.evil, pkcePair(), { prompt: "none" });
    const { searchParams } = locationOf(await stage.victim.get(silent));
    assert.equal(searchParams.get("error"), "consent_required");
    const listed = await stage.victim.get("/api/auth/grants");
    assert.deepEqual(listed.body.grants.map(({ name }: { name: string }) => name), ["Books"]);
  },
};

/** Opens the sign-out question in the operator's browser with the victim's hint. Returns the pending request's id. */
async function askToSignOut({ provider, victim, operator, books }: Stage): Promise<string> {
  const { id_token } = await getTokens(provider, victim, books);
  const path = `/api/auth/oauth2/end-session?${new URLSearchParams({ id_token_hint: id_token })}`;
  return locationOf(await operator.get(path)).searchParams.get("request")!;
}

const LOGOUT_ATTACKS: Attacks = {
  "a pending logout that returns to the operator's address": async (stage) => {
    const request = await askToSignOut(stage);
    await edit(stage, "update logout_request set redirect_uri = 'https://evil.example/bye'");
    const answer = await postForm(stage.operator, "/end-session", { request, decision: "sign_out" });
    assert.equal(answer.status, 400, answer.headers.get("location")!);
  },
  "a pending logout with the operator's own session as its hint": async (stage) => {
    const request = await askToSignOut(stage);
    const { id_token } = await getTokens(stage.provider, stage.operator, stage.books);
    const { sid } = decodeJwt<{ sid: string }>(id_token);
    await edit(stage, `update logout_request set hinted_sid = '${sid}'`);
    assert.equal((await stage.operator.get(`/end-session?request=${request}`)).status, 400);
    assert.equal((await stage.operator.get("/api/keys")).status, 200, "still signed in");
  },
};

/** Signs a token with the victim's claims under a key of the operator's, with that key's thumbprint as `kid`. */
async function forge(stage: Stage, kid: string, key: CryptoKey): Promise<string> {
  const grant = await row(stage, "authorization_grant", `account_id = '${stage.victimId}'`);
  const now = Math.floor(stage.app.now / 1000);
  const claims = { client_id: stage.books.clientId, scope: "openid", auth_time: now, jti: "token_x" };
  return await new SignJWT({ ...claims, grant_id: grant["id"] })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .setIssuer(stage.provider.origin).setAudience(stage.provider.origin).setSubject(stage.victimId)
    .setIssuedAt(now).setExpirationTime(now + 600).sign(key);
}

async function ownKey(): Promise<{ key: CryptoKey; kid: string; jwk: string }> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { key: privateKey, kid, jwk: JSON.stringify({ ...jwk, kid, alg: "ES256", use: "sig" }) };
}

async function publishedIds({ provider }: Stage): Promise<string[]> {
  const answer = await provider.client().get("/api/auth/jwks");
  assert.equal(answer.status, 200);
  return answer.body.keys.map(({ kid }: { kid: string }) => kid);
}

const KEY_ATTACKS: Attacks = {
  "a token key of the operator's, inserted": async (stage) => {
    const { provider, victim, books } = stage;
    await getTokens(provider, victim, books);
    const own = await ownKey();
    const real = await row(stage, "token_key", "algorithm = 'ES256'");
    await insert(stage, "token_key", { ...real, id: own.kid, public_jwk: own.jwk });
    assert.equal((await userinfo(provider, await forge(stage, own.kid, own.key))).status, 401);
    assert.equal((await publishedIds(stage)).includes(own.kid), false);
  },
  "the operator's public key in a token key": async (stage) => {
    const { provider, victim, books } = stage;
    await getTokens(provider, victim, books);
    const own = await ownKey();
    const { id } = await row(stage, "token_key", "algorithm = 'ES256'");
    await edit(stage, `update token_key set public_jwk = '${own.jwk}' where id = '${id}'`);
    assertInconsistent(await userinfo(provider, await forge(stage, String(id), own.key)));
    assertInconsistent(await provider.client().get("/api/auth/jwks"));
  },
  "the sealed private key of one token key in another": async (stage) => {
    const { provider, victim, books } = stage;
    await publishedIds(stage);
    const { sealed } = await row(stage, "token_key", "algorithm = 'EdDSA'");
    await stage.app.db.updateTable("token_key").set({ sealed: sealed as Uint8Array })
      .where("algorithm", "=", "ES256").execute();
    dropMemory(stage.app.db);
    await assert.rejects(getTokens(provider, victim, books), /503/);
    assertInconsistent(await provider.client().get("/api/auth/jwks"));
  },
  "a replaced key, made active again": async (stage) => {
    const { provider, victim, books } = stage;
    await publishedIds(stage);
    const { id } = await row(stage, "token_key", "algorithm = 'ES256'");
    await edit(stage, `update token_key set signs_from = ${stage.app.now + 1} where id = '${id}'`);
    await assert.rejects(getTokens(provider, victim, books), /503/);
    assertInconsistent(await provider.client().get("/api/auth/jwks"));
  },
};

describe("an operator with full write access to the database gets nothing of others with", () => {
  testAttacks(CLIENT_ATTACKS);
  testAttacks(REQUEST_ATTACKS);
  testAttacks(CONSENT_ATTACKS);
  testAttacks(LOGOUT_ATTACKS);
  testAttacks(KEY_ATTACKS);
});
