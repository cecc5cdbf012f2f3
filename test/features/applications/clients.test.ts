import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import type { Answer, RequestOptions } from "../../support/client.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { createTestAuthority } from "../../support/vault.ts";
import { applyDeclaredClients } from "../../../src/oauth/client/declared-clients.ts";
import { hashSecret } from "../../../src/accounts/session/bearer-secret.ts";

const CLIENTS = "/api/admin/oauth/clients";
const WEB = {
  name: "Ledger",
  redirectUris: ["https://ledger.example/callback"],
  uri: "https://ledger.example/",
  type: "web",
};

function ask(app: TestApp, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, ...options.headers };
  return app.client().request(method, path, { ...options, headers });
}

async function register(app: TestApp, change: object = {}): Promise<Answer> {
  return await ask(app, "POST", CLIENTS, { body: { ...WEB, ...change } });
}

describe("the admin guard", () => {
  const WRONG = [
    "",
    "Bearer",
    "Bearer x",
    `Basic ${ADMIN_KEY}`,
    `Bearer ${ADMIN_KEY}x`,
    `Bearer  ${ADMIN_KEY}`,
    ADMIN_KEY,
  ];

  test("answers 401 with WWW-Authenticate to a wrong or missing key, on every route", async () => {
    await using app = await createTestApp();
    const { clientId } = (await register(app)).body.client;
    const routes = [["POST", CLIENTS], ["GET", CLIENTS], ["GET", `${CLIENTS}/${clientId}`]]
      .concat([["PATCH", `${CLIENTS}/${clientId}`], ["POST", `${CLIENTS}/${clientId}/secret`]])
      .concat([["DELETE", `${CLIENTS}/${clientId}`]]);
    for (const [method, path] of routes as [string, string][]) {
      for (const authorization of WRONG) {
        const answer = await ask(app, method, path, { headers: { authorization } });
        assert.equal(answer.status, 401, `${method} ${path} ${authorization}`);
        assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="admin"');
      }
    }
    assert.equal((await ask(app, "GET", `${CLIENTS}/${clientId}`)).status, 200);
  });

  test("limits failures to 10 a minute for a network, and never refuses the right key", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const wrong = () => ask(app, "GET", CLIENTS, { headers: { authorization: "Bearer wrong" } });
    for (let round = 0; round < 10; round++) assert.equal((await wrong()).status, 401);
    assert.equal((await wrong()).status, 429);
    assert.equal((await ask(app, "GET", CLIENTS)).status, 200);
    app.now += 60_000;
    assert.equal((await wrong()).status, 401);
  });
});

describe("POST /api/admin/oauth/clients", () => {
  test("returns a web client with its secret, which is stored as a hash only", async () => {
    await using app = await createTestApp();
    const answer = await register(app);
    assert.equal(answer.status, 201);
    const { client, success } = answer.body;
    assert.equal(success, true);
    assert.match(client.clientSecret, /^[A-Za-z0-9]{32,}$/);
    assert.deepEqual(client, {
      id: client.clientId,
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      name: "Ledger",
      redirectUris: WEB.redirectUris,
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      backchannelLogoutSessionRequired: false,
      uri: WEB.uri,
      type: "web",
      public: false,
      tokenEndpointAuthMethod: "client_secret_basic",
      jwks: null,
      jwksUri: null,
      idTokenSignedResponseAlg: "ES256",
      scopes: ["openid"],
      dpopBoundAccessTokens: false,
      groups: null,
      requirePushedAuthorizationRequests: false,
      deviceGrant: false,
      disabled: false,
      declared: false,
      previousSecretExpiresAt: null,
      createdAt: "2026-01-31T09:30:00.000Z",
      updatedAt: "2026-01-31T09:30:00.000Z",
    });
    const row = await app.db.selectFrom("client").selectAll().executeTakeFirstOrThrow();
    assert.equal(row.secret_hash, hashSecret(client.clientSecret));
    assert.equal(
      (await ask(app, "GET", answer.headers.get("location")!)).body.client.clientSecret,
      undefined,
    );
  });

  test("returns public clients without a secret", async () => {
    await using app = await createTestApp();
    const spa = (await register(app, { type: "spa" })).body.client;
    const native =
      (await register(app, { type: "native", redirectUris: ["com.example.app:/cb"] })).body.client;
    for (const client of [spa, native]) {
      assert.equal(client.public, true);
      assert.equal(client.tokenEndpointAuthMethod, "none");
      assert.equal("clientSecret" in client, false);
    }
  });

  const REFUSED: readonly (readonly [path: string, change: object])[] = [
    ...[
      "http://ledger.example/cb",
      "javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
    ]
      .concat([
        "https://ledger.example/cb#x",
        "https://user@ledger.example/cb",
        "https://*.example/cb",
        "/cb",
        "",
      ])
      .concat(["com.example.app:/cb"])
      .map((uri) => ["/redirectUris/0", { redirectUris: [uri] }] as const),
    ["/redirectUris", { redirectUris: [] }],
    ["/redirectUris/1", { redirectUris: [WEB.redirectUris[0], WEB.redirectUris[0]] }],
    ["/name", { name: "" }],
    ["/uri", { uri: "javascript:x" }],
    ["/type", { type: "machine" }],
    ["/public", { public: true }],
    ["/idTokenSignedResponseAlg", { idTokenSignedResponseAlg: "none" }],
  ];

  test("accepts a back-channel logout URI: in production only https at public hosts", async () => {
    const stages: readonly (readonly [string, Readonly<Record<string, string>>, readonly number[]])[] = [
      ["http://localhost:3000", {}, [201, 201, 201, 400]],
      ["https://wallet.example", {}, [201, 400, 400, 400]],
      ["https://wallet.example", { LOGOUT_HOSTS: "private" }, [201, 201, 400, 400]],
    ];
    const uris = ["https://a.example/bcl", "https://10.0.0.7/", "http://localhost:1/", "http://a.example/"];
    for (const [origin, environment, statuses] of stages) {
      await using app = await createTestApp({ origin, environment });
      for (const [index, backchannelLogoutUri] of uris.entries()) {
        const body = { ...WEB, backchannelLogoutUri, backchannelLogoutSessionRequired: true };
        const answer = await ask(app, "POST", CLIENTS, { body });
        assert.equal(answer.status, statuses[index], answer.text);
        if (answer.status === 400) assert.equal(answer.body.errors[0].path, "/backchannelLogoutUri");
        else {
          const { client } = answer.body;
          assert.deepEqual(
            [client.backchannelLogoutUri, client.backchannelLogoutSessionRequired],
            [backchannelLogoutUri, true],
          );
        }
      }
    }
  });

  test("refuses what is unsafe or unknown, and names the member (T24)", async () => {
    await using app = await createTestApp();
    for (const [path, change] of REFUSED) {
      const answer = await register(app, change);
      assert.equal(answer.status, 400, JSON.stringify(change));
      assert.equal(answer.body.errors[0].path, path, JSON.stringify(change));
    }
    for (const missing of ["name", "redirectUris", "uri", "type"]) {
      assert.equal((await register(app, { [missing]: undefined })).body.errors[0].path, `/${missing}`);
    }
  });
});

test("GET /api/admin/oauth/clients pages through all of them", async () => {
  await using app = await createTestApp();
  const made: string[] = [];
  for (let index = 0; index < 5; index++) made.push((await register(app)).body.client.clientId);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer = await ask(
      app,
      "GET",
      `${CLIENTS}?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...page.body.clients.map((client: { clientId: string }) => client.clientId));
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen.sort(), made.sort());
});

test("PATCH, secret and DELETE change a client, and answer 404 for an unknown one", async () => {
  await using app = await createTestApp();
  const { clientId, clientSecret } = (await register(app)).body.client;
  const path = `${CLIENTS}/${clientId}`;
  const changed = await ask(app, "PATCH", path, { body: { name: "Books", disabled: true } });
  assert.equal(changed.body.client.name, "Books");
  assert.equal(changed.body.client.disabled, true);
  assert.equal((await ask(app, "PATCH", path, { body: { disabled: false } })).body.client.disabled, false);
  assert.equal((await ask(app, "PATCH", path, { body: { type: "spa" } })).status, 400);
  const rotated = await ask(app, "POST", `${path}/secret`);
  assert.notEqual(rotated.body.client.clientSecret, clientSecret);
  const spa = (await register(app, { type: "spa" })).body.client;
  const refused = await ask(app, "POST", `${CLIENTS}/${spa.clientId}/secret`);
  assert.equal(refused.status, 409);
  assert.deepEqual((await ask(app, "DELETE", path)).body, { success: true });
  const routes = [["GET", path], ["PATCH", path], ["POST", `${path}/secret`], ["DELETE", path]] as const;
  for (const [method, where] of routes) {
    const body = method === "PATCH" ? { name: "x" } : undefined;
    assert.equal((await ask(app, method, where, body === undefined ? {} : { body })).status, 404, method);
  }
});

test("a rotation with previousExpiresIn keeps the old secret valid for that time", async () => {
  await using app = await createTestApp();
  const { clientId, clientSecret } = (await register(app)).body.client;
  const path = `${CLIENTS}/${clientId}`;
  const isGood = async (secret: string) => {
    const authorization = `Basic ${btoa(`${clientId}:${secret}`)}`;
    const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
    const options = { headers, text: "token=x" };
    return (await app.client().request("POST", "/api/auth/oauth2/introspect", options)).status === 200;
  };
  const rotated = await ask(app, "POST", `${path}/secret`, { body: { previousExpiresIn: 3600 } });
  assert.equal(rotated.body.client.previousSecretExpiresAt, "2026-01-31T10:30:00.000Z");
  const next = rotated.body.client.clientSecret;
  assert.deepEqual([await isGood(clientSecret), await isGood(next)], [true, true]);
  app.now += 3_600_000;
  assert.deepEqual([await isGood(clientSecret), await isGood(next)], [false, true]);
  assert.equal((await ask(app, "GET", path)).body.client.previousSecretExpiresAt, null);
  assert.equal((await ask(app, "DELETE", `${path}/secret/previous`)).status, 404);

  const { clientSecret: last } =
    (await ask(app, "POST", `${path}/secret`, { body: { previousExpiresIn: 60 } })).body.client;
  assert.equal((await ask(app, "DELETE", `${path}/secret/previous`)).status, 200);
  assert.deepEqual([await isGood(next), await isGood(last)], [false, true]);

  for (const previousExpiresIn of [-1, 0.5, 2_592_001, "60", null]) {
    const refused = await ask(app, "POST", `${path}/secret`, { body: { previousExpiresIn } });
    assert.equal(refused.status, 400, String(previousExpiresIn));
  }
  assert.equal(await isGood(last), true);
});

test("a client edited in the database is not used", async () => {
  await using app = await createTestApp();
  const { clientId } = (await register(app)).body.client;
  await app.db.updateTable("client").set({ redirect_uris: '["https://evil.example/cb"]' }).execute();
  const { body } = await ask(app, "GET", `${CLIENTS}/${clientId}`);
  assert.deepEqual(body.client.redirectUris, WEB.redirectUris, "from memory");
  dropMemory(app.db);
  assertInconsistent(await ask(app, "GET", `${CLIENTS}/${clientId}`));
  assert.deepEqual((await ask(app, "GET", CLIENTS)).body.clients, [], "the list leaves it out");
});

test("a client that a file declares is shown as such, and neither the API nor the pages can change it", async () => {
  await using app = await createTestApp();
  const [declared, other] = await Promise.all(
    [1, 2].map(async () => (await register(app)).body.client.clientId as string),
  );
  const { vault } = app;
  const authority = createTestAuthority(vault);
  const entry = {
    clientId: declared!,
    metadata: { ...WEB, type: "web" as const },
    disabled: false,
    clientSecret: "s".repeat(32),
  };
  await applyDeclaredClients(app.db, { vault, authority, logoutHosts: "public" }, [entry], {
    now: app.now,
    random: (length) => new Uint8Array(length),
  });
  const before = await app.db.selectFrom("client").selectAll().orderBy("id").execute();
  const requests: readonly [string, string, object?][] = [
    ["PATCH", "", { name: "Mine" }],
    ["PATCH", "", { disabled: true }],
    ["POST", "/secret"],
    ["DELETE", "/secret/previous"],
    ["DELETE", ""],
  ];
  for (const [method, path, body] of requests) {
    const answer = await ask(app, method, `${CLIENTS}/${declared}${path}`, { ...(body && { body }) });
    assert.deepEqual([answer.status, answer.body.code], [409, "client_declared"], `${method} ${path}`);
  }
  assert.deepEqual(await app.db.selectFrom("client").selectAll().orderBy("id").execute(), before);
  const shown = await Promise.all([declared, other].map((id) => ask(app, "GET", `${CLIENTS}/${id}`)));
  assert.deepEqual(shown.map(({ body }) => body.client.declared), [true, false]);
  assert.equal((await ask(app, "DELETE", `${CLIENTS}/${other}`)).status, 200);
});
