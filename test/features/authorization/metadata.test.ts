import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import {
  AUTHORIZE,
  authorizePath,
  callAs,
  END_SESSION,
  errorOf,
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
} from "./story.ts";
import { locationOf } from "../../support/oauth.ts";

const WELL_KNOWN = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] as const;
const CB = "https://books.example/cb";

describe("metadata", () => {
  test("is the same at both addresses, with the issuer byte for byte (T52, T141, T143)", async () => {
    await using app = await createTestApp();
    const [one, two] = await Promise.all(WELL_KNOWN.map((path) => app.client().get(path)));
    assert.equal(one!.text, two!.text);
    for (const { status, headers } of [one!, two!]) {
      assert.deepEqual([status, headers.get("content-type")], [200, "application/json"]);
      assert.match(headers.get("cache-control")!, /^public, max-age=\d+$/);
    }
    const { body } = one!;
    assert.equal(body.issuer, ORIGIN);
    assert.deepEqual(body.code_challenge_methods_supported, ["S256"]);
    assert.deepEqual(body.grant_types_supported, [
      "authorization_code",
      "refresh_token",
      "urn:ietf:params:oauth:grant-type:device_code",
    ]);
    assert.deepEqual(body.response_types_supported, ["code"]);
    assert.deepEqual(body.response_modes_supported, ["query"]);
    assert.deepEqual(body.scopes_supported, [
      "openid",
      "email",
      "profile",
      "groups",
      "wallets",
      "keys:read",
      "keys:sign",
    ]);
    assert.deepEqual(body.subject_types_supported, ["public"]);
    assert.deepEqual(body.token_endpoint_auth_methods_supported, [
      "client_secret_basic",
      "none",
      "private_key_jwt",
    ]);
    assert.equal(body.authorization_response_iss_parameter_supported, true);
    assert.equal(body.claims_parameter_supported, true);
    for (const name of ["request_parameter", "request_uri_parameter"]) {
      assert.equal(body[`${name}_supported`], false);
    }
  });

  test("names existing endpoints (T142), which answer HEAD as GET (T144)", async () => {
    await using app = await createTestApp();
    const { body } = await app.client().get(WELL_KNOWN[0]);
    const endpoints = Object.entries(body).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
    assert.equal(endpoints.length, 9);
    for (const [name, url] of endpoints as [string, string][]) {
      assert.ok(url.startsWith(`${ORIGIN}/`));
      const { status } = await app.client().get(url.slice(ORIGIN.length));
      assert.notEqual(status, 404, name);
    }
    for (const path of [...WELL_KNOWN, "/api/auth/jwks"]) {
      const head = await app.client().request("HEAD", path);
      const get = await app.client().get(path);
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(get.text).length));
      const post = await app.client().post(path);
      assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    }
  });

  test("lists exactly the supported values (T142)", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const { body } = await browser.get(WELL_KNOWN[0]);
    const client = await register(app);
    await getCode(browser, client);
    const errorWith = async (name: string, value: string): Promise<string | null> => {
      const location = locationOf(await browser.get(authorizePath(client, { [name]: value })));
      return location.origin === "https://books.example" ? location.searchParams.get("error") : null;
    };
    const lists: Readonly<Record<string, string>> = {
      response_type: "response_types_supported",
      response_mode: "response_modes_supported",
      scope: "scopes_supported",
      prompt: "prompt_values_supported",
      code_challenge_method: "code_challenge_methods_supported",
    };
    for (const [name, list] of Object.entries(lists)) {
      // key-grants.test.ts and claims.test.ts cover the others, for which a client must be registered.
      const values = name === "scope" ? ["openid"] : body[list];
      for (const value of values) assert.equal(await errorWith(name, value), null, `${name}=${value}`);
      for (const value of ["x", body[list][0].toUpperCase() + "0", `${body[list][0]}x`]) {
        assert.notEqual(await errorWith(name, value), null, `${name}=${value}`);
      }
    }
    for (const grant_type of body.grant_types_supported) {
      assert.notEqual(
        (await callAs(app, client, TOKEN, { grant_type })).body.error,
        "unsupported_grant_type",
      );
    }
    for (const alg of body.id_token_signing_alg_values_supported) {
      const other = await register(app, { idTokenSignedResponseAlg: alg });
      const { id_token } = (await redeem(app, other, await getCode(browser, other))).body;
      const claims = Object.keys(jwtPart(id_token, 1));
      assert.equal(jwtPart(id_token, 0).alg, alg);
      assert.deepEqual(claims.filter((claim) => !body.claims_supported.includes(claim)), []);
    }
  });
});

describe("the key set", () => {
  test("has public members only, each kid once, and may be cached (T120)", async () => {
    await using app = await createTestApp();
    const { status, body, headers } = await app.client().get("/api/auth/jwks");
    assert.deepEqual([status, headers.get("content-type")], [200, "application/json"]);
    assert.match(headers.get("cache-control")!, /^public, max-age=\d+$/);
    const { keys } = body;
    assert.deepEqual(keys.map((key: { alg: string }) => key.alg).sort(), ["ES256", "EdDSA", "RS256"]);
    assert.equal(new Set(keys.map((key: { kid: string }) => key.kid)).size, keys.length);
    const members = new Set(["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"]);
    for (const key of keys) {
      assert.equal(key.use, "sig");
      assert.deepEqual(Object.keys(key).filter((name) => !members.has(name)), []);
    }
  });

  test("keeps a replaced key until its last token expires (T120)", async () => {
    await using app = await createTestApp();
    const kids = async (): Promise<string[]> =>
      (await app.client().get("/api/auth/jwks")).body.keys.map((key: { kid: string }) => key.kid);
    const first = await kids();
    app.now += 90 * 86_400_000 - 3_600_000;
    const both = await kids();
    assert.equal(both.length, 6);
    assert.ok(first.every((kid) => both.includes(kid)));
    app.now += 2 * 3_600_000;
    assert.ok(first.every((kid) => both.includes(kid)), "a token signed at the last moment is still alive");
    app.now += 600_000;
    const last = await kids();
    assert.equal(last.length, 3);
    assert.ok(first.every((kid) => !last.includes(kid)));
  });
});

describe("scripts of every origin", () => {
  const OPEN = [TOKEN, REVOKE, USERINFO, "/api/auth/jwks", ...WELL_KNOWN];
  const CLOSED = [AUTHORIZE, INTROSPECT, END_SESSION, "/consent", "/end-session", "/api/auth/grants"];
  const origin = "https://spa.example";

  test("may read the endpoints for browser applications, also errors, and nothing else (T145)", async () => {
    await using app = await createTestApp();
    for (const path of [...OPEN, ...CLOSED]) {
      for (const method of ["GET", "POST"]) {
        const { headers } = await app.client().request(method, path, { headers: { origin } });
        const expected = OPEN.includes(path) ? "*" : null;
        assert.equal(headers.get("access-control-allow-origin"), expected, `${method} ${path}`);
        assert.equal(headers.get("access-control-allow-credentials"), null);
      }
    }
  });

  test("may send a preflight request there (T145), and OPTIONS is 405 elsewhere", async () => {
    await using app = await createTestApp();
    const ask = (path: string) => {
      const headers = { origin, "access-control-request-method": "POST" };
      return app.client().request("OPTIONS", path, { headers });
    };
    for (const path of OPEN) {
      const { status, headers } = await ask(path);
      assert.equal(status, 204, path);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.match(headers.get("access-control-allow-methods")!, /GET|POST/);
      assert.equal(headers.get("access-control-allow-headers"), "Authorization, DPoP, Content-Type");
    }
    for (const path of CLOSED) assert.equal((await ask(path)).status, 405, path);
  });
});

describe("the addresses of the authorization server", () => {
  test("send nosniff everywhere (T146), and another spelling is another path (T151)", async () => {
    await using app = await createTestApp();
    for (const path of [TOKEN, AUTHORIZE, USERINFO, "/consent", ...WELL_KNOWN]) {
      const { headers } = await app.client().get(path);
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    }
    const strange = [`/${TOKEN}`, `${TOKEN}/`, TOKEN.toUpperCase(), TOKEN.replace("token", "%74oken")];
    for (const path of strange) {
      assert.equal((await postForm(app.client(), path, { grant_type: "x" })).status, 404, path);
    }
  });

  test("are those of the base URL, whatever Host and forwarding headers say (T150)", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const client = await register(app);
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example;proto=https",
    };
    const metadata = await browser.get(WELL_KNOWN[0], { headers });
    assert.equal(metadata.body.issuer, ORIGIN);
    assert.doesNotMatch(metadata.text, /evil/);
    const answer = await browser.get(authorizePath(client, { prompt: "none" }), { headers });
    assert.equal(errorOf(answer, CB).get("error"), "consent_required");
    const stranger = await app.client().get(authorizePath(client), { headers });
    assert.match(stranger.headers.get("location")!, /^\/sign-in\?request=/);
    assert.doesNotMatch(stranger.headers.get("set-cookie")!, /evil|Secure/i);
    assert.equal(jwtPart((await getTokens(app, browser, client)).id_token, 1).iss, ORIGIN);
  });
});
