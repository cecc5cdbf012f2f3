import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import { proveAddress, readCode, registerPasskey, signIn, signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import { postForm } from "../../support/oauth.ts";

const EMAIL = "ada@example.com";
const SESSION = "service.session_token";
const DAY = 24 * 3_600_000;

describe("POST /api/auth/email-code", () => {
  test("answers the same for known and unknown addresses", async () => {
    await using app = await createTestApp();
    await signUp(app.client(), EMAIL);
    const ask = async (email: string) => {
      const { status, body, headers } = await app.client().post("/api/auth/email-code", { email });
      return { status, body, headers: [...headers.keys()].sort() };
    };
    assert.deepEqual(await ask(EMAIL), await ask("unknown@example.com"));
    assert.deepEqual((await ask(EMAIL)).body, { expiresIn: 300 });
  });

  const NO_ADDRESSES = [
    "",
    "ada",
    "@example.com",
    "ada@",
    "a b@example.com",
    "ada@example.com,eve@example.com",
  ]
    .concat([
      "ada@example.com\nbcc: eve@example.com",
      "ada＠example.com",
      "ada%0a@example.com\r",
      "a".repeat(255),
    ]);

  test("refuses invalid addresses and unknown members", async () => {
    await using app = await createTestApp();
    for (const email of [...NO_ADDRESSES, 5, null]) {
      const answer = await app.client().post("/api/auth/email-code", { email });
      assert.equal(answer.status, 400, JSON.stringify(email));
    }
    assert.equal(
      (await app.client().post("/api/auth/email-code", { email: EMAIL, purpose: "x" })).status,
      400,
    );
  });

  test("identifies a browser for an hour after its last requested code, under the same secret", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const ask = async () =>
      (await client.post("/api/auth/email-code", { email: EMAIL })).headers.getSetCookie().join();
    const cookie = await ask();
    assert.match(
      cookie,
      /^service\.pre_session=[A-Za-z0-9]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
    assert.equal(await ask(), cookie);
    client.cookies.set("service.pre_session", "not one of ours");
    assert.notEqual(await ask(), cookie);
  });

  test("is limited to 5 a minute for an address and network, and 20 for a network", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const ask = async (email: string, network = "198.51.100.7") =>
      (await app.client(network).post("/api/auth/email-code", { email })).status;
    for (let round = 0; round < 5; round++) assert.equal(await ask(EMAIL), 200);
    assert.equal(await ask(EMAIL), 429);
    assert.equal(await ask(EMAIL, "198.51.100.8"), 200, "the owner elsewhere is not locked out");
    for (let round = 0; round < 15; round++) assert.equal(await ask(`${round}@example.com`), 200);
    assert.equal(await ask("last@example.com"), 429);
    app.now += 60_000;
    assert.equal(await ask(EMAIL), 200);
  });
});

describe("POST /api/auth/email-code/verify", () => {
  const verify = (client: Client, code: string, email = EMAIL) =>
    client.post("/api/auth/email-code/verify", { email, code });

  test("sets a sign-up cookie once, in the browser that requested the code", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await client.post("/api/auth/email-code", { email: EMAIL });
    const code = await readCode(client, EMAIL);
    assert.equal((await verify(app.client(), code)).body.code, "invalid_code");
    assert.equal((await verify(client, code, "eve@example.com")).body.code, "invalid_code");
    assert.deepEqual((await verify(client, code)).body, { next: "register_passkey" });
    assert.ok(client.cookies.has("service.sign_up"));
    assert.equal((await verify(client, code)).body.code, "invalid_code");
  });

  test("does not sign in: an address with an account is directed to its passkey", async () => {
    await using app = await createTestApp();
    await signUp(app.client(), EMAIL);
    app.now += 1000;
    const thief = app.client();
    assert.equal(await proveAddress(thief, EMAIL), "sign_in");
    assert.equal(thief.cookies.has(SESSION), false);
    assert.equal(thief.cookies.has("service.sign_up"), false);
    assert.equal((await thief.get("/api/keys")).status, 401);
  });

  test("invalidates the code at the third wrong attempt, counts parallel attempts, and expires after 5 minutes", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const send = async () => {
      app.now += 1000;
      await client.post("/api/auth/email-code", { email: EMAIL });
      return await readCode(client, EMAIL);
    };
    const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
    const killed = await send();
    await Promise.all(Array.from({ length: 40 }, () => verify(client, wrong(killed))));
    assert.equal((await verify(client, killed)).body.code, "invalid_code");
    const replaced = await send();
    const current = await send();
    assert.equal((await verify(client, replaced === current ? wrong(current) : replaced)).status, 400);
    assert.equal((await verify(client, wrong(current))).status, 400);
    assert.equal((await verify(client, current)).status, 200, "the third try may still be right");
    const late = await send();
    app.now += 300_000;
    assert.equal((await verify(client, late)).body.code, "invalid_code");
  });

  test("refuses anything but 6 digits", async () => {
    await using app = await createTestApp();
    for (const code of ["12345", "1234567", "12345a", "１２３４５６", 123456, ""]) {
      assert.equal(
        (await app.client().post("/api/auth/email-code/verify", { email: EMAIL, code })).status,
        400,
      );
    }
  });
});

describe("sign-up", () => {
  test("returns account and key, sets the session cookie and clears the others", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const answer = await signUp(client, EMAIL);
    assert.deepEqual(Object.keys(answer.body), ["account", "key"]);
    assert.deepEqual([...client.cookies.keys()], [SESSION, "service.device", "service.witness"]);
    const cookie = answer.headers.getSetCookie().find((header) => header.startsWith(SESSION))!;
    assert.match(cookie, /; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const { body } = await client.get("/api/auth/session");
    assert.deepEqual(body.account, answer.body.account);
    assert.deepEqual(body.session, {
      id: body.session.id,
      createdAt: "2026-01-31T09:30:00.000Z",
      expiresAt: "2026-03-02T09:30:00.000Z",
      authenticatedAt: "2026-01-31T09:30:00.000Z",
    });
  });

  test("ends the session of the account that the browser was signed in to", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const other = app.client();
    other.cookies.set(SESSION, client.cookies.get(SESSION)!);
    assert.equal((await other.get("/api/keys")).status, 200);
    assert.equal((await signUp(client, "second@example.com")).body.account.email, "second@example.com");
    assert.equal((await other.get("/api/keys")).status, 401);
  });

  test("needs a verified address: options and registration answer 401 without the sign-up cookie", async () => {
    await using app = await createTestApp();
    for (const path of ["registration/options", "registration"]) {
      const answer = await app.client().post(`/api/auth/passkey/${path}`, {});
      assert.equal(answer.body.code, "authentication_required");
    }
  });

  test("refuses a replayed or foreign registration, and creates one account from 20 parallel ones", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await proveAddress(client, EMAIL);
    const options = await client.post("/api/auth/passkey/registration/options");
    const response = await client.authenticator.register(options.body, { origin: client.origin });
    const other = app.client();
    await proveAddress(other, "eve@example.com");
    const foreign = await other.post("/api/auth/passkey/registration", { response });
    assert.equal(foreign.body.code, "invalid_passkey_registration");
    const again = await client.post("/api/auth/passkey/registration/options");
    const fresh = await client.authenticator.register({ ...again.body, excludeCredentials: [] }, {
      origin: client.origin,
    });
    const cookies = new Map(client.cookies);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post("/api/auth/passkey/registration", { response: fresh })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const [name, value] of cookies) client.cookies.set(name, value);
    assert.notEqual((await client.post("/api/auth/passkey/registration", { response: fresh })).status, 201);
    assert.equal((await app.db.selectFrom("account").selectAll().execute()).length, 1);
  });
});

describe("sign-in", () => {
  test("issues a new token, ends the session that it replaces, and refuses a replay", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const before = client.cookies.get(SESSION)!;
    assert.equal((await signIn(client)).status, 200);
    const after = client.cookies.get(SESSION)!;
    assert.notEqual(after, before);
    client.cookies.set(SESSION, before);
    assert.equal((await client.get("/api/keys")).status, 401);
    client.cookies.delete(SESSION);

    const options = await client.post("/api/auth/passkey/authentication/options");
    const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
    const cookies = new Map(client.cookies);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post("/api/auth/passkey/authentication", { response })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const [name, value] of cookies) client.cookies.set(name, value);
    assert.equal((await client.post("/api/auth/passkey/authentication", { response })).status, 401);
  });

  test("refuses another browser's challenge, a registration challenge and garbage with the same answer", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const other = app.client();
    await other.post("/api/auth/passkey/authentication/options");
    const options = await client.post("/api/auth/passkey/authentication/options");
    const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
    const answers = [await other.post("/api/auth/passkey/authentication", { response })];
    for (
      const garbage of [undefined, null, 5, {}, [], { ...response, id: "AAAA" }, { ...response, type: "x" }]
    ) {
      answers.push(await client.post("/api/auth/passkey/authentication", { response: garbage ?? null }));
    }
    for (const answer of answers) {
      assert.deepEqual({ ...answer.body, requestId: "" }, { ...answers[0]!.body, requestId: "" });
      assert.equal(answer.body.code, "invalid_passkey");
    }
  });

  test("expires after 7 idle days, and after 30 days at most", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += 7 * DAY - 1;
    assert.equal((await client.get("/api/keys")).status, 200);
    for (let day = 0; day < 3; day++) {
      app.now += 6 * DAY;
      assert.equal((await client.get("/api/keys")).status, 200);
    }
    app.now += 5 * DAY + 2;
    assert.equal((await client.get("/api/keys")).status, 401);
    const idle = app.client();
    await signUp(idle, "idle@example.com");
    app.now += 7 * DAY;
    assert.equal((await idle.get("/api/keys")).status, 401);
  });

  test("accepts one session cookie of the service only", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const token = client.cookies.get(SESSION)!;
    const status = async (cookie: string) =>
      (await app.client().get("/api/keys", { headers: { cookie } })).status;
    assert.equal(await status(`${SESSION}=${token}`), 200);
    for (
      const bad of ["", "x", token.slice(0, -1), token + "A", token.replace(".", ""), token.toLowerCase()]
    ) {
      assert.equal(await status(`${SESSION}=${bad}`), 401, bad);
    }
    assert.equal(await status(`${SESSION}=x; ${SESSION}=${token}`), 401);
    const elsewhere = [{ authorization: `Bearer ${token}` }, { "x-session-token": token }];
    for (const headers of elsewhere) {
      assert.equal((await app.client().get("/api/keys", { headers })).status, 401);
    }
    assert.equal((await app.client().get(`/api/keys?session_token=${token}`)).status, 401);
  });
});

test("POST /api/auth/sign-out ends the session on the server, and repeating it is no error", async () => {
  await using app = await createTestApp();
  const client = app.client();
  await signUp(client, EMAIL);
  const token = client.cookies.get(SESSION)!;
  const answer = await client.post("/api/auth/sign-out");
  assert.equal(answer.status, 204);
  assert.ok(answer.headers.get("clear-site-data")?.includes("cache"));
  client.cookies.set(SESSION, token);
  assert.deepEqual((await client.get("/api/auth/session")).body, { session: null, account: null });
  assert.equal((await client.post("/api/auth/sign-out")).status, 204);
});

test("a further passkey needs a fresh sign-in, and signs in to the same account", async () => {
  await using app = await createTestApp();
  const client = app.client();
  const { account } = (await signUp(client, EMAIL)).body;
  const second = app.client();
  second.cookies.set(SESSION, client.cookies.get(SESSION)!);
  const added = await registerPasskey(second);
  assert.equal(added.status, 201, added.text);
  assert.equal(added.body.passkey.name, "Passkey 2");
  assert.deepEqual((await signIn(second)).body.account, account);
  app.now += 10 * 60_000;
  const options = await second.post("/api/auth/passkey/registration/options");
  assert.equal(options.body.code, "fresh_session_required");
  assert.equal((await second.post("/api/auth/passkey/registration", { response: {} })).status, 403);
});

test("passkey ceremonies are limited to 30 a minute for a network", async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const ask = async (network: string) =>
    (await app.client(network).post("/api/auth/passkey/authentication/options")).status;
  for (let round = 0; round < 30; round++) assert.equal(await ask("2001:db8::1"), 200);
  assert.equal(await ask("2001:db8::2"), 429, "one /64 is one network");
  assert.equal(await ask("2001:db8:0:1::1"), 200);
});

test("the e-mail and sign-in routes refuse another site's page", async () => {
  await using app = await createTestApp();
  const paths = [
    "email-code",
    "email-code/verify",
    "passkey/registration/options",
    "passkey/registration",
    "passkey/authentication/options",
    "passkey/authentication",
    "sign-out",
  ];
  for (const path of paths) {
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const answer = await app.client().post(`/api/auth/${path}`, {}, { headers });
      assert.equal(answer.body.code, "cross_site_request", path);
    }
  }
});

test("POST /sign-out, a form, is accepted from the service's own page only", async () => {
  await using app = await createTestApp();
  const client = app.client();
  await signUp(client, EMAIL);
  for (const headers of [{}, { "sec-fetch-site": "same-site" }, { origin: "https://evil.example" }]) {
    assert.equal((await client.post("/sign-out", undefined, { headers })).status, 403);
  }
  assert.equal((await client.get("/api/keys")).status, 200);
  const answer = await postForm(client, "/sign-out", {});
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/signed-out"]);
  assert.equal((await client.get("/api/keys")).status, 401);
});

test("GET /dev/outbox is for this machine and this host name only", async () => {
  await using app = await createTestApp();
  const json = { accept: "application/json" };
  assert.equal((await app.client("127.0.0.1").get("/dev/outbox", { headers: json })).status, 200);
  assert.equal((await app.client("::1").get("/dev/outbox", { headers: json })).status, 200);
  assert.equal((await app.client("192.0.2.1").get("/dev/outbox", { headers: json })).status, 404);
  const proxied = { ...json, "x-forwarded-for": "192.0.2.1" };
  assert.equal((await app.client("127.0.0.1").get("/dev/outbox", { headers: proxied })).status, 404);
  const aliased = { ...json, host: "127.0.0.1:3000" };
  const sent = await app.client("127.0.0.1").get("/dev/outbox", { headers: aliased });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "http://localhost:3000/dev/outbox"]);
  const rebound = { ...json, host: "evil.example:3000" };
  assert.equal((await app.client("127.0.0.1").get("/dev/outbox", { headers: rebound })).status, 404);
});
