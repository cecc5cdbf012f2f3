import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import { failLogWrites } from "../../support/audit.ts";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import {
  assertError,
  authorizePath,
  callAs,
  codeForm,
  getCode,
  getTokens,
  INTROSPECT,
  jwtPart,
  postForm,
  redeem,
  register,
  REVOKE,
  TOKEN,
  USERINFO,
  userinfo,
} from "./story.ts";
import { locationOf } from "../../support/oauth.ts";
import type { Registered, Tokens } from "../../support/oauth.ts";

interface Story {
  readonly app: TestApp;
  readonly browser: Client;
  readonly client: Registered;
  readonly tokens: Tokens;
}

async function openStory(change: object = {}): Promise<Story> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const client = await register(app, change);
  return { app, browser, client, tokens: await getTokens(app, browser, client) };
}

function toBase64url(value: object): string {
  return utf8(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Changes the header or payload of a token and keeps its signature. */
function bend(token: string, header: object, payload: object = {}): string {
  const signature = token.split(".")[2]!;
  const parts = [{ ...jwtPart(token, 0), ...header }, { ...jwtPart(token, 1), ...payload }];
  return [...parts.map(toBase64url), signature].join(".");
}

describe("tokens", () => {
  test("include an access token as in RFC 9068 (T113), each with its own jti (T119)", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const { kid, ...header } = jwtPart(tokens.access_token, 0);
    assert.deepEqual(header, { alg: "EdDSA", typ: "at+jwt" });
    const claims = jwtPart(tokens.access_token, 1);
    const seconds = Math.floor(app.now / 1000);
    assert.deepEqual([claims.iss, claims.aud, claims.client_id], [ORIGIN, ORIGIN, client.clientId]);
    assert.deepEqual([claims.iat, claims.exp, claims.scope], [seconds, seconds + 3600, "openid"]);
    const { keys } = (await app.client().get("/api/auth/jwks")).body;
    assert.ok(keys.some((key: { kid: string }) => key.kid === kid));
    const again = await getTokens(app, browser, client);
    assert.notEqual(jwtPart(again.access_token, 1).jti, claims.jti);
  });

  test("include an ID token for this client, in its algorithm, bound to the access token (T114)", async () => {
    for (const [alg, hash] of [["ES256", "SHA-256"], ["RS256", "SHA-256"], ["EdDSA", "SHA-512"]] as const) {
      const { app, browser, client } = await openStory({ idTokenSignedResponseAlg: alg });
      await using _ = app;
      const code = await getCode(browser, client, { nonce: "n-0S6_WzA2Mj", max_age: "600" });
      const { access_token, id_token } = (await redeem(app, client, code)).body;
      assert.equal(jwtPart(id_token, 0).alg, alg);
      assert.notEqual(jwtPart(id_token, 0).typ, "at+jwt");
      const claims = jwtPart(id_token, 1);
      assert.deepEqual([claims.aud, claims.iss, claims.azp], [client.clientId, ORIGIN, undefined]);
      assert.deepEqual([claims.nonce, claims.exp - claims.iat], ["n-0S6_WzA2Mj", 3600]);
      assert.equal(claims.auth_time, Math.floor(app.now / 1000));
      const digest = new Uint8Array(await crypto.subtle.digest(hash, utf8(access_token)));
      const half = digest.slice(0, digest.length / 2);
      assert.equal(claims.at_hash, half.toBase64({ alphabet: "base64url", omitPadding: true }));
    }
  });

  test("name the person by a stable id that is the same for all clients and not the address (T125, T130, T131)", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const { sub } = jwtPart(tokens.id_token, 1);
    assert.match(sub, /^account_[0-9a-v]{26}$/);
    assert.notEqual(sub.length, client.clientId.length);
    assert.equal((await userinfo(app, tokens.access_token)).body.sub, sub);
    await browser.post("/api/auth/sign-out");
    await signIn(browser);
    assert.equal(jwtPart((await getTokens(app, browser, client)).id_token, 1).sub, sub);
  });
});

describe("userinfo", () => {
  test("returns the ID token's claims by GET and POST, for a token in a header of any case or in the form (T124, T125)", async () => {
    const { app, tokens } = await openStory();
    await using _ = app;
    const agent = app.client();
    const token = tokens.access_token;
    const expected = { sub: jwtPart(token, 1).sub, email: "ada@example.com", email_verified: true };
    const answers = [
      await agent.get(USERINFO, { headers: { authorization: `Bearer ${token}` } }),
      await agent.get(USERINFO, { headers: { authorization: `bearer ${token}` } }),
      await agent.request("POST", USERINFO, { headers: { authorization: `Bearer ${token}` } }),
      await postForm(agent, USERINFO, "", { authorization: `Bearer ${token}` }),
      await postForm(agent, USERINFO, { access_token: token }),
    ];
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body], [200, expected]);
      assert.equal(headers.get("cache-control"), "no-store");
    }
  });

  test("answers a request without a token with the schemes and no error (T121), and ignores cookies", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    for (const method of ["GET", "POST"]) {
      const { status, headers, text } = await browser.request(method, USERINFO);
      const challenges = headers.get("www-authenticate")!;
      assert.match(challenges, /^Bearer realm="oauth", .*, DPoP algs="ES256 EdDSA Ed25519", /);
      assert.ok(!challenges.includes("error"));
      assert.deepEqual([status, text], [401, ""]);
    }
    const basic = await browser.get(USERINFO, { headers: { authorization: "Basic eDp4" } });
    assert.equal(basic.status, 401);
  });

  test("refuses a token in the query, in two places and in two headers (T124)", async () => {
    const { app, tokens: { access_token } } = await openStory();
    await using _ = app;
    const agent = app.client();
    const headers = { authorization: `Bearer ${access_token}` };
    const query = `${USERINFO}?access_token=${access_token}`;
    assertError(await agent.get(query), 400, "invalid_request");
    assertError(await agent.get(query, { headers }), 400, "invalid_request");
    assertError(await postForm(agent, USERINFO, { access_token }, headers), 400, "invalid_request");
    const twice = { authorization: `Bearer ${access_token}, Bearer ${access_token}` };
    assertError(await agent.get(USERINFO, { headers: twice }), 400, "invalid_request");
    assert.ok(!app.logged.join("\n").includes(access_token));
  });

  test("refuses other and modified tokens as invalid_token (T115, T116, T117, T122)", async () => {
    const { app, tokens } = await openStory();
    await using _ = app;
    const { access_token: token, id_token, refresh_token } = tokens;
    const [head, body, signature] = token.split(".");
    const raw = Uint8Array.fromBase64(signature!, { alphabet: "base64url" });
    const zero = new Uint8Array(raw.length).toBase64({ alphabet: "base64url", omitPadding: true });
    const bent = [
      id_token,
      refresh_token,
      "garbage",
      bend(token, { alg: "none" }),
      `${toBase64url({ ...jwtPart(token, 0), alg: "none" })}.${body}.`,
      bend(token, { alg: "HS256" }),
      bend(token, { kid: "x" }),
      bend(token, { jku: "https://evil.example/jwks" }),
      bend(token, { jwk: { kty: "EC" } }),
      bend(token, { x5u: "https://evil.example/x" }),
      bend(token, { crit: ["exp"] }),
      bend(token, {}, { aud: "https://evil.example" }),
      bend(token, {}, { iss: "https://evil.example" }),
      bend(token, {}, { exp: undefined }),
      bend(token, {}, { exp: 1 }),
      bend(token, {}, { nbf: 4_000_000_000 }),
      `${head}.${body}.${zero}`,
      token.slice(0, -4),
      `${token}AAAA`,
      `${head}.${body}`,
    ];
    for (const other of bent) {
      const answer = await userinfo(app, other);
      assertError(answer, 401, "invalid_token", other.slice(0, 60));
      assert.match(answer.headers.get("www-authenticate")!, /^Bearer realm="oauth", error="invalid_token"/);
    }
    assert.equal((await userinfo(app, token)).status, 200);
    app.now += 3_600_000 - 1000;
    assert.equal((await userinfo(app, token)).status, 200);
    app.now += 1000;
    assertError(await userinfo(app, token), 401, "invalid_token", "T122");
  });
});

describe("POST introspect", () => {
  test("describes the client's valid tokens, and reports everything else as inactive (T127)", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const other = await register(app);
    const { sub, jti } = jwtPart(tokens.access_token, 1);
    const seconds = Math.floor(app.now / 1000);
    const common = {
      active: true,
      scope: "openid",
      client_id: client.clientId,
      sub,
      iss: ORIGIN,
      iat: seconds,
    };
    const access = await callAs(app, client, INTROSPECT, {
      token: tokens.access_token,
      token_type_hint: "x",
    });
    assert.deepEqual(access.body, { ...common, exp: seconds + 3600, token_type: "Bearer", aud: ORIGIN, jti });
    assert.equal(access.headers.get("cache-control"), "no-store");
    const refreshing = await callAs(app, client, INTROSPECT, { token: tokens.refresh_token });
    assert.deepEqual(refreshing.body, { ...common, exp: seconds + 7 * 86_400 });

    const theirs = await getTokens(app, browser, other);
    const foreign = [
      theirs.access_token,
      theirs.refresh_token,
      tokens.id_token,
      "x",
      `${tokens.access_token}x`,
    ];
    foreign.push(await getCode(browser, client));
    for (const token of foreign) {
      const { status, body } = await callAs(app, client, INTROSPECT, { token });
      assert.deepEqual([status, body], [200, { active: false }]);
    }
    app.now += 3_600_000;
    const expired = await callAs(app, client, INTROSPECT, { token: tokens.access_token });
    assert.deepEqual(expired.body, { active: false });
  });

  test("is for authenticated confidential clients, and needs a token (T127)", async () => {
    const { app, client, tokens: { access_token: token } } = await openStory();
    await using _ = app;
    const spa = await register(app, { type: "spa" });
    assertError(await postForm(app.client(), INTROSPECT, { token }), 401, "invalid_client");
    assertError(await callAs(app, spa, INTROSPECT, { token }), 401, "invalid_client");
    assertError(await callAs(app, client, INTROSPECT, {}), 400, "invalid_request");
  });
});

describe("POST revoke", () => {
  test("ends the grant of either token, repeating it is no error, and a wrong hint does not matter (T111, T128)", async () => {
    for (const type of ["web", "spa"]) {
      for (const kind of ["access_token", "refresh_token"] as const) {
        const { app, client, tokens } = await openStory({ type });
        await using _ = app;
        for (const token_type_hint of [undefined, "access_token", "refresh_token", "x"]) {
          const { status, text } = await callAs(app, client, REVOKE, {
            token: tokens[kind],
            token_type_hint,
          });
          assert.deepEqual([status, text], [200, ""]);
        }
        assert.equal((await userinfo(app, tokens.access_token)).status, 401);
        const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
        assertError(await callAs(app, client, TOKEN, form), 400, "invalid_grant");
      }
    }
  });

  test("keeps other clients' tokens valid and accepts unknown ones (T128), from authenticated clients (T129)", async () => {
    const { app, client, tokens } = await openStory();
    await using _ = app;
    const other = await register(app);
    for (const token of [tokens.access_token, tokens.refresh_token, "unknown"]) {
      assert.equal((await callAs(app, other, REVOKE, { token })).status, 200);
      assertError(await postForm(app.client(), REVOKE, { token }), 401, "invalid_client");
    }
    assertError(await callAs(app, client, REVOKE, { token: "" }), 400, "invalid_request");
    assert.equal((await userinfo(app, tokens.access_token)).status, 200);
  });

  test("answers server_error when the database fails (T147)", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    await failLogWrites(app.db);
    const revoked = await callAs(app, client, REVOKE, { token: tokens.refresh_token });
    assertError(revoked, 500, "server_error");
    const redeemed = await postForm(app.client(), TOKEN, codeForm(client, code), {
      authorization: `Basic ${utf8(`${client.clientId}:${client.clientSecret}`).toBase64()}`,
    });
    assertError(redeemed, 500, "server_error");
    assert.equal((await userinfo(app, tokens.access_token)).status, 200);
  });
});

test("no answer contains a secret except its recipient's", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  const server = app.client();
  const client = await register(app);
  await signUp(browser, "ada@example.com");
  const session = browser.cookies.get("service.session_token")!;
  const before = browser.seen.length;
  const code = await getCode(browser, client);
  const headers = { authorization: `Basic ${utf8(`${client.clientId}:${client.clientSecret}`).toBase64()}` };
  const { body } = await postForm(server, TOKEN, codeForm(client, code), headers);
  await postForm(server, INTROSPECT, { token: body.access_token }, headers);
  await postForm(server, INTROSPECT, { token: body.refresh_token }, headers);
  await server.get(USERINFO, { headers: { authorization: `Bearer ${body.access_token}` } });
  await server.get("/api/auth/jwks");
  await postForm(server, REVOKE, { token: body.refresh_token }, headers);
  await browser.get("/api/auth/grants");
  assert.ok(locationOf(await browser.get(authorizePath(client))).searchParams.has("code"));

  const secret = client.clientSecret!;
  const toBrowser = browser.seen.slice(before).join("\n");
  for (const text of [secret, body.access_token, body.refresh_token, body.id_token, session]) {
    assert.ok(!toBrowser.includes(text));
  }
  assert.equal(toBrowser.split(code).length, 2, "the code is in one redirect");
  const toServer = server.seen.join("\n");
  for (const text of [secret, session, code]) assert.ok(!toServer.includes(text));
  for (const text of [body.access_token, body.refresh_token, body.id_token]) {
    assert.equal(toServer.split(text).length, 2, "each token is in one answer");
  }
});
