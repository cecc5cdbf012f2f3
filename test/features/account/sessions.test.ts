import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

const EMAIL = "ada@example.com";
const SESSION = "service.session_token";
const DEVICE = "service.device";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

/** Signs in from another browser with the user's passkey. */
async function signInElsewhere(
  app: TestApp,
  { authenticator }: Client,
  address = "198.51.100.7",
  userAgent = SAFARI,
): Promise<Client> {
  const client = { ...app.client(address), authenticator };
  assert.equal((await signInAs(client, userAgent)).status, 200);
  return client;
}

async function signInAs(client: Client, userAgent: string): Promise<Answer> {
  const headers = { "user-agent": userAgent };
  const options = await client.post("/api/auth/passkey/authentication/options", {});
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  return await client.post("/api/auth/passkey/authentication", { response }, { headers });
}

// deno-lint-ignore no-explicit-any -- tests look into answers of every shape
async function sessionsOf(client: Client): Promise<any[]> {
  return (await client.get("/api/auth/sessions")).body.sessions;
}

async function mailsTo(client: Client, email: string): Promise<{ subject: string; text: string }[]> {
  const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
  return body.messages.filter((mail: { to: string; text: string }) =>
    mail.to === email && !/\b\d{6}\b/.test(mail.text)
  );
}

describe("GET /api/auth/sessions", () => {
  test("lists device, network and times of each, the last used first, and marks the current one (B.1 15)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += MINUTE;
    const phone = await signInElsewhere(app, client, "2001:db8:1:2:3:4:5:6");
    const [{ id: passkeyId }] = (await client.get("/api/auth/passkeys")).body.passkeys;
    const { body } = await phone.get("/api/auth/session");
    const sessions = await sessionsOf(phone);
    assert.deepEqual(sessions, [
      {
        id: body.session.id,
        device: "Safari on iPhone",
        network: "2001:db8:1:2::/64",
        passkeyId,
        createdAt: "2026-01-31T09:31:00.000Z",
        lastSeenAt: "2026-01-31T09:31:00.000Z",
        expiresAt: "2026-03-02T09:31:00.000Z",
        current: true,
      },
      {
        id: sessions[1].id,
        device: "Unknown device",
        network: "127.0.0.1",
        passkeyId,
        createdAt: "2026-01-31T09:30:00.000Z",
        lastSeenAt: "2026-01-31T09:30:00.000Z",
        expiresAt: "2026-03-02T09:30:00.000Z",
        current: false,
      },
    ]);
    app.now += 10 * MINUTE;
    assert.deepEqual((await sessionsOf(client)).map(({ current }) => current), [true, false]);
    assert.equal((await client.get("/api/auth/sessions?all=1")).status, 400);
  });

  test("shows no session of another account, no ended one, and no part of a User-Agent", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(other, "eve@example.com");
    const phone = await signInElsewhere(app, client, "198.51.100.7", "Evil/1.0 <script> call 555-0100");
    assert.deepEqual((await sessionsOf(client)).map(({ device }) => device), [
      "Unknown device",
      "Unknown device",
    ]);
    assert.equal((await sessionsOf(other)).length, 1);
    await phone.post("/api/auth/sign-out");
    assert.equal((await sessionsOf(client)).length, 1);
  });

  test("keeps at most 50 of an account, and ends the least recently used (B.1 17)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const second = await signInElsewhere(app, client);
    for (let n = 0; n < 49; n++) {
      app.now += 1000;
      client.cookies.delete(SESSION);
      assert.equal((await signIn(client)).status, 200);
    }
    assert.equal((await sessionsOf(client)).length, 50);
    app.now += 1000;
    client.cookies.delete(SESSION);
    await signIn(client);
    assert.equal((await sessionsOf(client)).length, 50);
    assert.equal((await second.get("/api/keys")).status, 401);
  });
});

describe("ending sessions", () => {
  test("DELETE /api/auth/sessions/:sessionId ends another session of the same account at once", async () => {
    await using app = await createTestApp();
    const [client, eve] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(eve, "eve@example.com");
    const phone = await signInElsewhere(app, client);
    const { id } = (await sessionsOf(client)).find(({ current }) => !current);
    const end = (by: Client) => by.request("DELETE", `/api/auth/sessions/${id}`);
    assert.equal((await end(eve)).body.code, "not_found");
    assert.equal((await phone.get("/api/keys")).status, 200);
    const answer = await end(client);
    assert.equal(answer.status, 204);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    assert.equal((await phone.get("/api/keys")).status, 401);
    assert.equal((await end(client)).status, 404);
    assert.equal((await client.get("/api/keys")).status, 200);
  });

  test("DELETE of the current one signs out", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const [{ id }] = await sessionsOf(client);
    const answer = await client.request("DELETE", `/api/auth/sessions/${id}`);
    assert.equal(answer.status, 204);
    assert.ok(answer.headers.get("clear-site-data")?.includes("storage"));
    assert.equal(client.cookies.has(SESSION), false);
  });

  test("POST /api/auth/sessions/revoke-others keeps the current one", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const others = [await signInElsewhere(app, client), await signInElsewhere(app, client)];
    const answer = await client.post("/api/auth/sessions/revoke-others");
    assert.deepEqual([answer.status, answer.body], [200, { ended: 2 }]);
    for (const other of others) assert.equal((await other.get("/api/keys")).status, 401);
    assert.equal((await client.get("/api/keys")).status, 200);
    assert.deepEqual((await client.post("/api/auth/sessions/revoke-others", {})).body, { ended: 0 });
    assert.equal((await client.post("/api/auth/sessions/revoke-others", { all: true })).status, 400);
  });

  test("POST /api/auth/sessions/revoke-all ends all, including the current one", async () => {
    await using app = await createTestApp();
    const [client, eve] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(eve, "eve@example.com");
    const token = client.cookies.get(SESSION)!;
    const phone = await signInElsewhere(app, client);
    const answer = await client.post("/api/auth/sessions/revoke-all");
    assert.deepEqual([answer.status, answer.body], [200, { ended: 2 }]);
    assert.equal(client.cookies.has(SESSION), false);
    client.cookies.set(SESSION, token);
    for (const ended of [client, phone]) assert.equal((await ended.get("/api/keys")).status, 401);
    assert.equal((await eve.get("/api/keys")).status, 200);
  });

  test("two sessions that end each other at once leave at most one, and neither ends twice", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const phone = await signInElsewhere(app, client);
    const answers = await Promise.all(
      [client, phone].map((one) => one.post("/api/auth/sessions/revoke-others")),
    );
    for (const { status } of answers) assert.ok([200, 401].includes(status), String(status));
    assert.ok(answers.filter(({ body }) => body.ended === 1).length >= 1);
    assert.ok((await app.db.selectFrom("session").selectAll().execute()).length <= 1);
  });
});

describe("the device cookie", () => {
  test("lasts 400 days, is HttpOnly and Lax, is stored as a hash, and does not sign in", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const answer = await signUp(client, EMAIL);
    const cookie = answer.headers.getSetCookie().find((header) => header.startsWith(DEVICE))!;
    assert.match(
      cookie,
      /^service\.device=[A-Za-z0-9]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    );
    const secret = client.cookies.get(DEVICE)!;
    const rows = JSON.stringify(await app.db.selectFrom("account_device").selectAll().execute());
    assert.equal(rows.includes(secret), false);
    client.cookies.delete(SESSION);
    assert.equal((await client.get("/api/keys")).status, 401);
  });

  test("a sign-in from a browser new to the account is reported by one mail (B.7 92)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    client.cookies.delete(SESSION);
    assert.equal((await signIn(client)).status, 200);
    assert.deepEqual(await mailsTo(client, EMAIL), [], "neither at sign-up nor in its browser");
    const phone = await signInElsewhere(app, client);
    const [mail, ...more] = await mailsTo(client, EMAIL);
    assert.equal(more.length, 0);
    for (const words of ["Safari on iPhone", "198.51.100.7"]) assert.ok(mail!.text.includes(words), words);
    await phone.post("/api/auth/sign-out");
    assert.equal((await signInAs(phone, SAFARI)).status, 200);
    assert.equal((await mailsTo(client, EMAIL)).length, 1, "signing out does not make it new");
    const { id } = (await sessionsOf(client)).find(({ device }) => device === "Safari on iPhone");
    await client.request("DELETE", `/api/auth/sessions/${id}`);
    app.now += 1000;
    assert.equal((await signInAs(phone, SAFARI)).status, 200);
    assert.equal((await mailsTo(client, EMAIL)).length, 2, "ending its session from elsewhere does");
  });

  test("a browser that several people use is known to each account, under one secret", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const secret = client.cookies.get(DEVICE)!;
    const other = { ...client, authenticator: app.client().authenticator };
    await signUp(other, "bob@example.com");
    assert.equal(client.cookies.get(DEVICE), secret);
    for (const one of [client, other, client, other]) assert.equal((await signIn(one)).status, 200);
    for (const email of [EMAIL, "bob@example.com"]) assert.deepEqual(await mailsTo(client, email), []);
  });

  test("an invalid or repeated cookie is replaced, and the mail is sent", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const known = client.cookies.get(DEVICE)!;
    let mails = 0;
    for (const bad of ["", "x", known.slice(1), `${known}; ${DEVICE}=${known}`]) {
      app.now += 1000;
      client.cookies.set(DEVICE, bad);
      assert.equal((await signIn(client)).status, 200);
      assert.notEqual(client.cookies.get(DEVICE), known);
      assert.match(client.cookies.get(DEVICE)!, /^[A-Za-z0-9]{43}$/);
      assert.equal((await mailsTo(client, EMAIL)).length, ++mails, bad);
    }
  });

  test("the mail is queued in the session's transaction", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const before = await app.db.selectFrom("outbox").select("id").execute();
    await app.db.schema.alterTable("audit_event").renameTo("audit_event_gone").execute();
    const phone = { ...app.client(), authenticator: client.authenticator };
    assert.equal((await signIn(phone)).status, 500);
    assert.deepEqual(await app.db.selectFrom("outbox").select("id").execute(), before);
    assert.equal((await app.db.selectFrom("account_device").selectAll().execute()).length, 1);
  });

  test("a browser is forgotten 400 days after its last sign-in", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += 399 * DAY;
    assert.equal((await signIn(client)).status, 200);
    app.now += 399 * DAY;
    assert.equal((await signIn(client)).status, 200);
    assert.deepEqual(await mailsTo(client, EMAIL), []);
    app.now += 400 * DAY;
    assert.equal((await signIn(client)).status, 200);
    assert.equal((await mailsTo(client, EMAIL)).length, 1);
  });
});
