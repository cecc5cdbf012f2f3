import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { agreeTo, askFor, askToken, detailsOf, registerKeyClient } from "../../support/key-application.ts";
import { authorizePath, locationOf, pkcePair, postForm, providerOf } from "../../support/oauth.ts";
import type { Fields, Pkce, Registered } from "../../support/oauth.ts";

/** Returns the `aud` of a JWT. */
function audienceOf(jwt: string): unknown {
  return JSON.parse(atob(jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))).aud;
}

const MCP = `${ORIGIN}/mcp`;
const SIGNS = { authorization_details: detailsOf({ version: 1, messages: { text: "allow" } }) };

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly person: Client;
  readonly keyId: string;
  readonly client: Registered;
}

async function setStage(): Promise<Stage> {
  const app = await createTestApp();
  const client = await registerKeyClient(providerOf(app), { type: "web", dpopBoundAccessTokens: false });
  const person = app.client();
  const keyId = (await signUp(person, "ada@example.com")).body.key.id;
  return { app, person, keyId, client, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function codeFor({ person, client, keyId }: Stage, pkce: Pkce, asked: Fields): Promise<string> {
  const { request } = await askFor(person, client, pkce, asked);
  const answer = await agreeTo(person, request, { keys: [keyId], rules: ["text"] });
  return locationOf(answer).searchParams.get("code")!;
}

async function redeem({ app, client }: Stage, pkce: Pkce, code: string, more: Fields = {}): Promise<Answer> {
  return await askToken(app, client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUris[0]!,
    code_verifier: pkce.verifier,
    ...more,
  });
}

/** Returns the token response for an authorization request with these parameters. */
async function tokensFor(stage: Stage, asked: Fields): Promise<Readonly<Record<string, string>>> {
  const pkce = pkcePair();
  const answer = await redeem(stage, pkce, await codeFor(stage, pkce, asked));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function errorOf({ person, client }: Stage, asked: Fields): Promise<string | null> {
  return locationOf(await person.get(authorizePath(client, pkcePair(), asked))).searchParams.get("error");
}

function bearer({ app }: Stage, token: string, path: string): Promise<Answer> {
  return app.client().get(path, { headers: { authorization: `Bearer ${token}` } });
}

describe("the metadata of protected resources (RFC 9728)", () => {
  for (
    const [path, scopes] of [
      ["/mcp", ["keys:read", "keys:sign"]],
      ["/api", ["keys:read", "keys:sign"]],
      ["/api/auth/oauth2/userinfo", ["openid"]],
    ] as const
  ) {
    test(`is at the well-known path of ${path}, for every origin`, async () => {
      await using app = await createTestApp();
      const answer = await app.client().get(`/.well-known/oauth-protected-resource${path}`);
      assert.deepEqual([answer.status, answer.body], [200, {
        resource: ORIGIN + path,
        authorization_servers: [ORIGIN],
        scopes_supported: scopes,
        bearer_methods_supported: ["header"],
      }]);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    });
  }
});

describe("resource at the authorization endpoint (RFC 8707 section 2.1)", () => {
  test("refuses a resource that is not of this server as invalid_target", async () => {
    await using stage = await setStage();
    for (const resource of ["https://other.example/mcp", `${MCP}/`, `${MCP}?a=1`, `${ORIGIN}/mcp2`, "mcp"]) {
      assert.equal(await errorOf(stage, { scope: "openid", resource }), "invalid_target", resource);
    }
  });

  test("gives a request for /mcp without a scope both scopes for keys, and the response says so", async () => {
    await using stage = await setStage();
    const { scope, expires_in, id_token } = await tokensFor(stage, {
      ...SIGNS,
      scope: "",
      resource: MCP,
    });
    assert.deepEqual([scope, expires_in, id_token], ["keys:read keys:sign", 600, undefined]);
    assert.equal(await errorOf(stage, { scope: "" }), "invalid_scope");
    assert.equal(await errorOf(stage, { scope: "unknown", resource: MCP }), "invalid_scope");
  });

  test("demands no openid, issues no ID token without it, and userinfo then refuses", async () => {
    await using stage = await setStage();
    const tokens = await tokensFor(stage, { scope: "keys:read" });
    assert.deepEqual([tokens["scope"], tokens["id_token"]], ["keys:read", undefined]);
    const refused = await bearer(stage, tokens["access_token"]!, "/api/auth/oauth2/userinfo");
    assert.deepEqual([refused.status, refused.body.error], [403, "insufficient_scope"]);
    const challenge = refused.headers.get("www-authenticate")!;
    assert.match(challenge, /^Bearer realm="oauth", error="insufficient_scope".*, scope="keys:read openid"$/);
  });
});

describe("resource at the token endpoint (RFC 8707 section 2.2)", () => {
  test("is the code's or absent; another one is invalid_target and leaves code and refresh token valid", async () => {
    await using stage = await setStage();
    const pkce = pkcePair();
    const code = await codeFor(stage, pkce, { ...SIGNS, scope: "", resource: MCP });
    for (const resource of [ORIGIN, `${ORIGIN}/api`, "https://other.example/"]) {
      const { status, body } = await redeem(stage, pkce, code, { resource });
      assert.deepEqual([status, body.error], [400, "invalid_target"], resource);
    }
    const { body } = await redeem(stage, pkce, code, { resource: MCP });
    assert.equal(audienceOf(body.access_token), MCP);
    const again = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    const wrong = await askToken(stage.app, stage.client, { ...again, resource: `${ORIGIN}/api` });
    assert.deepEqual([wrong.status, wrong.body.error], [400, "invalid_target"]);
    const refreshed = await askToken(stage.app, stage.client, again);
    assert.equal(audienceOf(refreshed.body.access_token), MCP);
    assert.equal(refreshed.body.expires_in, 600);
  });
});

describe("the audience of an access token", () => {
  test("is the issuer without resource, and then /api and userinfo accept it", async () => {
    await using stage = await setStage();
    for (const resource of ["", ORIGIN, `${ORIGIN}/`]) {
      const { access_token: token } = await tokensFor(stage, { scope: "openid keys:read", resource });
      assert.equal(audienceOf(token!), ORIGIN);
      assert.equal((await bearer(stage, token!, "/api/keys")).status, 200);
      assert.equal((await bearer(stage, token!, "/api/auth/oauth2/userinfo")).status, 200);
    }
  });

  test("is otherwise accepted at its own resource alone, and introspection names it", async () => {
    await using stage = await setStage();
    const { access_token: forApi } = await tokensFor(stage, {
      scope: "openid keys:read",
      resource: `${ORIGIN}/api`,
    });
    assert.equal((await bearer(stage, forApi!, "/api/keys")).status, 200);
    assert.equal((await bearer(stage, forApi!, "/api/auth/oauth2/userinfo")).status, 401);
    const { access_token: forMcp } = await tokensFor(stage, { scope: "openid keys:read", resource: MCP });
    for (const path of ["/api/keys", "/api/auth/oauth2/userinfo"]) {
      assert.equal((await bearer(stage, forMcp!, path)).status, 401, path);
    }
    const { clientId, clientSecret } = stage.client;
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    const path = "/api/auth/oauth2/introspect";
    const introspected = await postForm(stage.app.client(), path, { token: forMcp! }, { authorization });
    assert.deepEqual([introspected.body.active, introspected.body.aud], [true, MCP]);
  });
});

describe("the challenges of a resource (RFC 9728 section 5.1)", () => {
  const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api"`;

  test("401 names the metadata and the needed scope, without a token and with a wrong one", async () => {
    await using stage = await setStage();
    const path = `/api/keys/${stage.keyId}`;
    const none = (await stage.app.client().get("/api/keys")).headers.get("www-authenticate")!;
    assert.ok(none.startsWith(`Bearer realm="keys", ${METADATA}, scope="keys:read", DPoP algs=`), none);
    const headers = { authorization: "Bearer a.b.c" };
    const wrong = await stage.app.client().post(`${path}/sign`, {}, { headers });
    const expected = `Bearer realm="keys", error="invalid_token", ${METADATA}, scope="keys:sign"`;
    assert.deepEqual([wrong.status, wrong.headers.get("www-authenticate")], [401, expected]);
  });

  test("403 insufficient_scope names the union of the token's scopes and the needed one", async () => {
    await using stage = await setStage();
    const { access_token: token } = await tokensFor(stage, { scope: "keys:read" });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = `/api/keys/${stage.keyId}/sign`;
    const { status, headers: given } = await stage.app.client().request("POST", path, {
      headers,
      body: "{}",
    });
    const expected =
      `Bearer realm="keys", error="insufficient_scope", ${METADATA}, scope="keys:read keys:sign"`;
    assert.deepEqual([status, given.get("www-authenticate")], [403, expected]);
  });
});
