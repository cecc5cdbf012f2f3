import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { holdBody } from "../../support/delayed-body.ts";

const TOKENS = "/api/auth/tokens";
const DAY = 24 * 60 * 60_000;
const ALL = { name: "Payroll", keys: "all", actions: ["read", "sign", "create"] };

async function newPerson(
  app: TestApp,
  email = "ada@example.com",
): Promise<{ person: Client; keyId: string }> {
  const person = app.client();
  const { body } = await signUp(person, email);
  return { person, keyId: body.key.id };
}

async function create(person: Client, body: object = ALL): Promise<{ id: string; text: string }> {
  const answer = await person.post(TOKENS, body);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get("location"), `${TOKENS}/${answer.body.token.id}`);
  return { id: answer.body.token.id, text: answer.body.text };
}

interface Program {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Returns a client that has only a token and an address. */
function program(app: TestApp, text: string, address = "192.0.2.9"): Program {
  const client = app.client(address);
  const authorization = `Bearer ${text}`;
  return {
    get: (path) => client.get(path, { headers: { authorization } }),
    post: (path, body, headers = {}) => client.post(path, body, { headers: { authorization, ...headers } }),
  };
}

async function stepUp(client: Client, action: string): Promise<Answer> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  return await client.post("/api/auth/step-up", { action, response });
}

const code = ({ status, body }: Answer): string => `${status} ${body?.code}`;

describe("POST /api/auth/tokens", () => {
  test("returns the token's text once, and lists its permissions", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const terms = { name: "Bot", keys: [keyId], actions: ["sign"], networks: ["192.0.2.0/24"] };
    const { id, text } = await create(person, { ...terms, expiresAt: "2026-02-01T00:00:00Z" });
    const { body, text: listed } = await person.get(TOKENS);
    assert.deepEqual(body.tokens, [{
      id,
      ...terms,
      policy: null,
      policyWords: null,
      jkt: null,
      createdAt: new Date(app.now).toISOString(),
      expiresAt: "2026-02-01T00:00:00.000Z",
      lastUsedAt: null,
      lastUsedNetwork: null,
    }]);
    assert.ok(!listed.includes(text));
  });

  test("creates tokens for 90 days by default, and for a year at most", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    await create(person);
    const [token] = (await person.get(TOKENS)).body.tokens;
    assert.equal(Date.parse(token.expiresAt), app.now + 90 * DAY);
    const until = (at: number) => person.post(TOKENS, { ...ALL, expiresAt: new Date(at).toISOString() });
    assert.equal((await until(app.now + 365 * DAY)).status, 201);
    for (const at of [app.now + 365 * DAY + 1, app.now, app.now - 1]) {
      const answer = await until(at);
      assert.equal(code(answer), "400 invalid_request");
      assert.equal(answer.body.errors[0].path, "/expiresAt");
    }
  });

  test("refuses invalid restrictions, and names the member", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const other = await newPerson(app, "bob@example.com");
    const faults: readonly (readonly [path: string, change: object])[] = [
      ["/name", { name: "" }],
      ["/name", { name: "a\u0000b" }],
      ["/keys", { keys: "some" }],
      ["/keys", { keys: [] }],
      ["/keys", { keys: [keyId, keyId] }],
      ["/keys/0", { keys: [other.keyId] }],
      ["/keys/1", { keys: [keyId, "key_00000000000000000000000000"] }],
      ["/actions", { actions: [] }],
      ["/actions/0", { actions: ["archive"] }],
      ["/actions", { actions: ["sign", "sign"] }],
      ["/networks/0", { networks: ["192.0.2.1/24"] }],
      ["/networks", { networks: [] }],
      ["/expiresAt", { expiresAt: "tomorrow" }],
      ["/secret", { secret: "mine" }],
    ];
    for (const [path, change] of faults) {
      const answer = await person.post(TOKENS, { ...ALL, ...change });
      assert.equal(code(answer), "400 invalid_request", JSON.stringify(change));
      assert.equal(answer.body.errors[0].path, path, JSON.stringify(change));
    }
    assert.deepEqual((await person.get(TOKENS)).body.tokens, []);
  });

  test("asks for a passkey again when the sign-in is over ten minutes old, and then for this action only", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    app.now += 11 * 60_000;
    assert.equal(code(await person.post(TOKENS, ALL)), "403 fresh_session_required");
    await stepUp(person, "add_passkey");
    assert.equal(code(await person.post(TOKENS, ALL)), "403 fresh_session_required");
    await stepUp(person, "add_token");
    await create(person);
    assert.equal(code(await person.post(TOKENS, ALL)), "403 fresh_session_required");
  });

  test("notifies the owner by mail of the new token and its origin, without a secret", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    app.now += 1000;
    const { text } = await create(person);
    const { messages } = (await person.get("/dev/outbox", { headers: { accept: "application/json" } })).body;
    assert.equal(messages[0].to, "ada@example.com");
    assert.match(messages[0].text, /The token "Payroll" was created[^]*all your keys \(read, sign, create\)/);
    assert.ok(!messages[0].text.includes(text.slice(32)));
  });

  test("allows 50 at most; an expired or revoked one no longer counts", { timeout: 60_000 }, async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const expiresAt = new Date(app.now + 60_000).toISOString();
    for (let count = 0; count < 50; count++) await create(person, { ...ALL, expiresAt });
    assert.equal(code(await person.post(TOKENS, ALL)), "409 too_many_tokens");
    app.now += 60_000;
    await create(person);
  });
});

describe("a request with a token", () => {
  test("lists, creates, explains and signs, and the log names the token", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const { id, text } = await create(person);
    const { get, post } = program(app, text);
    assert.equal((await get("/api/keys")).body.keys.length, 1);
    assert.equal((await get(`/api/keys/${keyId}`)).status, 200);
    assert.equal((await get(`/api/keys/${keyId}/quote`)).status, 200);
    assert.equal((await post(`/api/keys/${keyId}/explain`, { message: "hello" })).status, 200);
    const signed = await post(`/api/keys/${keyId}/sign`, { message: "hello" });
    assert.equal(signed.text, (await person.post(`/api/keys/${keyId}/sign`, { message: "hello" })).text);
    assert.equal((await post("/api/keys/generate", { label: "Second" })).status, 201);
    const { events } = (await person.get("/api/audit")).body;
    const signers = events.filter(({ event }: { event: string }) => event === "message_signed")
      .map(({ detail }: { detail: { by?: string } }) => detail.by);
    assert.deepEqual(signers, [undefined, id]);
  });

  test("is authorised by the token alone, and the cookie is ignored", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const other = await newPerson(app, "bob@example.com");
    const { text } = await create(other.person);
    const authorization = `Bearer ${text}`;
    assert.equal((await person.get(`/api/keys/${keyId}`, { headers: { authorization } })).status, 404);
    assert.equal((await person.get(`/api/keys/${other.keyId}`, { headers: { authorization } })).status, 200);
    for (const wrong of ["Bearer wrong", "Bearer", "Bearer ", `bearer ${text}x`, `DPoP ${text}`]) {
      const answer = await person.get("/api/keys", { headers: { authorization: wrong } });
      assert.equal(code(answer), "401 authentication_required", wrong);
      assert.match(answer.headers.get("www-authenticate")!, /error="invalid_token"/);
    }
  });

  test("has access only to the account's keys, and changes none", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const { id, text } = await create(person);
    const authorization = `Bearer ${text}`;
    const routes: readonly (readonly [method: string, path: string])[] = [
      ["GET", TOKENS],
      ["POST", TOKENS],
      ["PATCH", `${TOKENS}/${id}`],
      ["DELETE", `${TOKENS}/${id}`],
      ["GET", "/api/auth/passkeys"],
      ["POST", "/api/auth/passkey/registration/options"],
      ["GET", "/api/auth/sessions"],
      ["POST", "/api/auth/sessions/revoke-all"],
      ["POST", "/api/auth/step-up/options"],
      ["GET", "/api/auth/grants"],
      ["GET", "/api/audit"],
      ["PATCH", `/api/keys/${keyId}`],
      ["POST", `/api/keys/${keyId}/archive`],
      ["POST", `/api/keys/${keyId}/unarchive`],
    ];
    for (const [method, path] of routes) {
      // Adding the owner's cookie does not help.
      for (const client of [app.client(), person]) {
        const answer = await client.request(method, path, { headers: { authorization } });
        assert.equal(answer.status, 401, `${method} ${path}`);
      }
    }
    const present = await person.get("/api/auth/session", { headers: { authorization } });
    assert.deepEqual(present.body, { session: null, account: null });
  });

  test("is limited to the token's actions and keys", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const second = (await person.post("/api/keys/generate")).body.key.id;
    const signer = program(
      app,
      (await create(person, { name: "a", keys: [second], actions: ["sign"] })).text,
    );
    const reader = program(
      app,
      (await create(person, { name: "b", keys: [second], actions: ["read"] })).text,
    );
    assert.equal((await signer.post(`/api/keys/${second}/sign`, { message: "x" })).status, 200);
    assert.equal(code(await signer.post(`/api/keys/${keyId}/sign`, { message: "x" })), "404 not_found");
    const refused = await signer.get("/api/keys");
    assert.equal(code(refused), "403 insufficient_scope");
    assert.match(refused.headers.get("www-authenticate")!, /error="insufficient_scope"/);
    assert.equal(
      code(await reader.post(`/api/keys/${second}/sign`, { message: "x" })),
      "403 insufficient_scope",
    );
    assert.equal(code(await reader.post("/api/keys/generate")), "403 insufficient_scope");
    const listed = (await reader.get("/api/keys")).body.keys.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, [second]);
    for (const path of ["", "/quote"]) {
      assert.equal((await reader.get(`/api/keys/${keyId}${path}`)).status, 404);
    }
    assert.equal((await reader.post(`/api/keys/${keyId}/explain`, { message: "x" })).status, 404);
  });

  test("is refused from the first request after its end, in every process", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const [kept, revoked] = [await create(person), await create(person)];
    await using second = await createTestApp({ db: app.db });
    second.now = app.now;
    for (const place of [app, second]) {
      assert.equal((await program(place, revoked.text).get("/api/keys")).status, 200);
    }
    assert.equal((await person.request("DELETE", `${TOKENS}/${revoked.id}`)).status, 204);
    assert.equal((await person.request("DELETE", `${TOKENS}/${revoked.id}`)).status, 404);
    for (const place of [app, second]) {
      assert.equal((await program(place, revoked.text).get("/api/keys")).status, 401);
      assert.equal((await program(place, kept.text).get("/api/keys")).status, 200);
      place.now += 90 * DAY;
      assert.equal((await program(place, kept.text).get("/api/keys")).status, 401, "after 90 days");
    }
  });

  test("is refused from another network than the token's", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const { text } = await create(person, { ...ALL, networks: ["192.0.2.0/24", "2001:db8::/32"] });
    const from = async (address: string) => (await program(app, text, address).get("/api/keys")).status;
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"]) {
      assert.equal(await from(address), 200);
    }
    for (const address of ["192.0.3.1", "2001:db9::1", "unknown"]) {
      assert.equal(await from(address), 401, address);
    }
  });

  test("records its use and network, at most every five minutes", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const { text } = await create(person);
    const use = async (address: string) => {
      await program(app, text, address).get("/api/keys");
      const [{ lastUsedAt, lastUsedNetwork }] = (await person.get(TOKENS)).body.tokens;
      return [Date.parse(lastUsedAt), lastUsedNetwork];
    };
    const began = app.now;
    assert.deepEqual(await use("192.0.2.1"), [began, "192.0.2.1"]);
    app.now += 299_000;
    assert.deepEqual(await use("192.0.2.2"), [began, "192.0.2.1"]);
    app.now += 1000;
    assert.deepEqual(await use("192.0.2.2"), [began + 300_000, "192.0.2.2"]);
  });

  test("works from a page of another origin, unlike one with a cookie (Fetch section 3.2)", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const { text } = await create(person);
    const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    const path = `/api/keys/${keyId}/sign`;
    const preflight = await app.client().request("OPTIONS", path, {
      headers: { ...foreign, "access-control-request-method": "POST" },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.match(
      preflight.headers.get("access-control-allow-headers")!,
      /Authorization, DPoP, Content-Type, Holdfast-Witness, Idempotency-Key/,
    );
    const answer = await program(app, text).post(path, { message: "x" }, foreign);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    assert.match(
      answer.headers.get("access-control-expose-headers")!,
      /RateLimit, RateLimit-Policy, Retry-After.*X-Request-Id/,
    );
    const refused = await program(app, text + "x").post(path, { message: "x" }, foreign);
    assert.deepEqual([refused.status, refused.headers.get("access-control-allow-origin")], [401, "*"]);
    const withCookie = await person.post(path, { message: "x" }, { headers: foreign });
    assert.equal(code(withCookie), "403 cross_site_request");
    assert.equal(withCookie.headers.get("access-control-allow-origin"), null);
  });
});

describe("PATCH /api/auth/tokens/:tokenId", () => {
  test("renames freely, and otherwise only restricts", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const second = (await person.post("/api/keys/generate")).body.key.id;
    const { id } = await create(person, { ...ALL, networks: ["192.0.2.0/24"] });
    const change = (body: object) => person.request("PATCH", `${TOKENS}/${id}`, { body });
    const done = { name: "Less", keys: [keyId], actions: ["read"], networks: ["192.0.2.128/25"] };
    const answer = await change({ ...done, expiresAt: new Date(app.now + DAY).toISOString() });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual({ ...answer.body.token, ...done }, answer.body.token);
    const wider: readonly (readonly [path: string, body: object])[] = [
      ["/keys", { keys: "all" }],
      ["/keys", { keys: [keyId, second] }],
      ["/actions", { actions: ["read", "sign"] }],
      ["/networks", { networks: ["192.0.2.0/24"] }],
      ["/networks", { networks: ["192.0.2.128/25", "198.51.100.1"] }],
      ["/expiresAt", { expiresAt: new Date(app.now + DAY + 1).toISOString() }],
    ];
    for (const [path, body] of wider) {
      const refused = await change(body);
      assert.equal(code(refused), "400 invalid_request", JSON.stringify(body));
      assert.equal(refused.body.errors[0].path, path);
    }
    assert.deepEqual((await person.get(TOKENS)).body.tokens, [answer.body.token]);
  });

  test("changes and records nothing if no value differs, and otherwise names the changed members", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const { id } = await create(person, { ...ALL, networks: ["192.0.2.0/24"] });
    const events = async () => (await person.get("/api/audit")).body.events;
    const change = async (body: object) => {
      const answer = await person.request("PATCH", `${TOKENS}/${id}`, { body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.token;
    };
    const before = await events();
    const { name, keys, actions, networks, expiresAt } = await change({});
    const same = { name, keys, actions, networks, expiresAt };
    assert.deepEqual(await change(same), await change({ name }));
    assert.deepEqual(await events(), before);
    await change({ ...same, name: "Other", actions: ["read"] });
    const [newest, ...rest] = await events();
    assert.deepEqual([newest.event, newest.detail, rest], [
      "token_changed",
      { members: "actions,name" },
      before,
    ]);
  });

  test("answers 404 for another account's token, as DELETE does", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const { id } = await create(person);
    const other = await newPerson(app, "bob@example.com");
    for (const method of ["PATCH", "DELETE"]) {
      const answer = await other.person.request(
        method,
        `${TOKENS}/${id}`,
        method === "PATCH" ? { body: {} } : {},
      );
      assert.equal(code(answer), "404 not_found");
    }
    assert.equal((await person.get(TOKENS)).body.tokens.length, 1);
    assert.deepEqual((await other.person.get(TOKENS)).body.tokens, []);
  });
});

test("tokens of one account outlive its sessions, and end for no other account", async () => {
  await using app = await createTestApp();
  const { person } = await newPerson(app);
  const { text } = await create(person);
  await person.post("/api/auth/sessions/revoke-all");
  assert.equal((await program(app, text).get("/api/keys")).status, 200);
  await signIn(person);
  assert.equal((await person.get(TOKENS)).body.tokens.length, 1);
});

describe("an Idempotency-Key of tokens", () => {
  test("does not return to a token what its owner or another token created under the same key", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const terms = { name: "Maker", keys: [keyId], actions: ["create"] };
    const [one, other] = [await create(person, terms), await create(person, terms)].map(({ text }) =>
      program(app, text)
    );
    const headers = { "idempotency-key": "1" };
    const makers = [
      () => person.post("/api/keys/generate", {}, { headers }),
      () => one!.post("/api/keys/generate", {}, headers),
      () => other!.post("/api/keys/generate", {}, headers),
    ];
    const made = new Set<string>();
    for (const make of makers) {
      const { id } = (await make()).body.key;
      made.add(id);
      assert.equal((await make()).body.key.id, id);
    }
    assert.equal(made.size, makers.length);
  });
});

describe("a request with a slow body", () => {
  test("does not sign after its token was revoked or restricted, and signs otherwise", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const ends: readonly (readonly [(id: string) => Promise<unknown>, number])[] = [
      [(id) => person.request("DELETE", `${TOKENS}/${id}`), 401],
      [(id) => person.request("PATCH", `${TOKENS}/${id}`, { body: { actions: ["read"] } }), 401],
      [() => Promise.resolve(), 200],
    ];
    for (const [end, status] of ends) {
      const { id, text } = await create(person);
      const held = holdBody('{"message":"hello"}');
      const { host } = new URL(person.origin);
      const headers = { host, authorization: `Bearer ${text}`, "content-type": "application/json" };
      const url = `${person.origin}/api/keys/${keyId}/sign`;
      const answer = app.app(
        new Request(url, { method: "POST", headers, body: held.stream, duplex: "half" } as RequestInit),
        { clientAddress: "192.0.2.9" },
      );
      await Promise.race([held.read, answer]);
      await end(id);
      held.release();
      assert.equal((await answer).status, status);
    }
  });
});
