import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { readCode, signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import { holdBody } from "../../support/delayed-body.ts";

/** A request whose head was received and whose body is incomplete. */
interface Held {
  /** Sends the body, this many milliseconds after the head. */
  release(milliseconds: number): Promise<Response>;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the head of a request with the client's cookies, and waits until the service reads the body. */
async function hold(app: TestApp, person: Client, sent: Sent): Promise<Held> {
  const { method = "POST", path, body, type = "application/json", headers = {} } = sent;
  const held = holdBody(body);
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const all = { host: new URL(person.origin).host, cookie, "content-type": type, ...headers };
  const init = { method, headers: all, body: held.stream, duplex: "half", redirect: "manual" } as RequestInit;
  const answer = app.app(new Request(person.origin + path, init), { clientAddress: "192.0.2.9" });
  await Promise.race([held.read, answer]);
  return {
    release: async (milliseconds) => {
      app.now += milliseconds;
      held.release();
      return await answer;
    },
  };
}

async function newPerson(app: TestApp, name: string): Promise<{ person: Client; keyId: string }> {
  const person = app.client();
  const { body } = await signUp(person, `${name}@example.com`);
  return { person, keyId: body.key.id };
}

async function keysOf(person: Client): Promise<number> {
  return (await person.get("/api/keys")).body.keys.length;
}

describe("a request with a slow body", () => {
  test("creates no key after its session has ended, and one otherwise", async () => {
    await using app = await createTestApp();
    const [ada, bob] = [await newPerson(app, "ada"), await newPerson(app, "bob")];
    const adas = await hold(app, ada.person, { path: "/api/keys/generate", body: "{}" });
    const bobs = await hold(app, bob.person, { path: "/api/keys/generate", body: "{}" });
    assert.equal((await ada.person.post("/api/auth/sessions/revoke-all")).status, 200);
    assert.equal((await adas.release(5000)).status, 401);
    assert.equal((await bobs.release(0)).status, 201);
    assert.equal(await keysOf(bob.person), 2);
    assert.equal((await app.db.selectFrom("ethereum_key").select("id").execute()).length, 3);
  });

  /** Requests with a body that a signed-in user can send, by path. */
  const ACTS: Readonly<Record<string, (who: { keyId: string; passkeyId: string }) => Sent>> = {
    "sign": ({ keyId }) => ({ path: `/api/keys/${keyId}/sign`, body: '{"message":"x"}' }),
    "change a key": ({ keyId }) => ({ method: "PATCH", path: `/api/keys/${keyId}`, body: '{"label":"x"}' }),
    "archive": ({ keyId }) => ({ path: `/api/keys/${keyId}/archive`, body: "{}" }),
    "make a token": () => ({
      path: "/api/auth/tokens",
      body: '{"name":"Bot","keys":"all","actions":["sign"]}',
    }),
    "rename a passkey": ({ passkeyId }) => ({
      method: "PATCH",
      path: `/api/auth/passkeys/${passkeyId}`,
      body: '{"name":"x"}',
    }),
    "begin a passkey": () => ({ path: "/api/auth/passkey/registration/options", body: "{}" }),
    "begin a step-up": () => ({ path: "/api/auth/step-up/options", body: '{"action":"add_token"}' }),
    "end the others": () => ({ path: "/api/auth/sessions/revoke-others", body: "{}" }),
  };

  for (const [name, act] of Object.entries(ACTS)) {
    test(`does not ${name} after its session has ended, and does otherwise`, async () => {
      await using app = await createTestApp();
      const { person, keyId } = await newPerson(app, "ada");
      const passkeyId = (await person.get("/api/auth/passkeys")).body.passkeys[0].id;
      const sent = act({ keyId, passkeyId });
      const living = await (await hold(app, person, sent)).release(101);
      assert.ok(living.ok, `${living.status} ${await living.text()}`);
      const held = await hold(app, person, sent);
      const before = await app.db.selectFrom("audit_event").select("seq").execute();
      assert.equal((await person.post("/api/auth/sign-out")).status, 204);
      assert.equal((await held.release(101)).status, 401);
      const after = await app.db.selectFrom("audit_event").select("event").execute();
      // The sign-out is recorded, and nothing else.
      assert.equal(after.length, before.length + 1);
    });
  }

  test("does not sign after its session has ended, even if the body is not late", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app, "ada");
    const held = await hold(app, person, { path: `/api/keys/${keyId}/sign`, body: '{"message":"x"}' });
    assert.equal((await person.post("/api/auth/sign-out")).status, 204);
    assert.equal((await held.release(0)).status, 401);
  });

  test("is refused after its token was revoked or restricted", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app, "ada");
    const ends: readonly (readonly [(id: string) => Promise<unknown>, number])[] = [
      [(id) => person.request("DELETE", `/api/auth/tokens/${id}`), 401],
      [(id) => person.request("PATCH", `/api/auth/tokens/${id}`, { body: { actions: ["read"] } }), 403],
      [() => Promise.resolve(), 201],
    ];
    for (const [end, status] of ends) {
      const terms = { name: "Bot", keys: "all", actions: ["read", "create"] };
      const { token, text } = (await person.post("/api/auth/tokens", terms)).body;
      const headers = { authorization: `Bearer ${text}`, cookie: "" };
      const held = await hold(app, person, { path: "/api/keys/generate", body: "{}", headers });
      await end(token.id);
      assert.equal((await held.release(101)).status, status);
    }
  });

  test("redirects a form to sign in after its session has ended", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app, "ada");
    const held = await hold(app, person, {
      path: "/account/withdraw",
      body: `clientId=${"a".repeat(26)}`,
      type: "application/x-www-form-urlencoded",
      headers: { origin: person.origin },
    });
    await person.post("/api/auth/sign-out");
    const answer = await held.release(101);
    assert.equal(answer.status, 303);
    assert.match(answer.headers.get("location")!, /^\/sign-in\?/);
  });

  test("is handled at the time of its complete body, when its code has expired", async () => {
    await using app = await createTestApp();
    const person = app.client();
    const email = "ada@example.com";
    for (const [milliseconds, status] of [[101, 200], [11 * 60_000, 400]] as const) {
      await person.post("/api/auth/email-code", { email });
      const body = JSON.stringify({ email, code: await readCode(person, email) });
      const held = await hold(app, person, { path: "/api/auth/email-code/verify", body });
      const answer = await held.release(milliseconds);
      assert.equal(answer.status, status, await answer.text());
    }
  });

  test("is still checked for the size and content of its body", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app, "ada");
    for (const [body, status] of [["{", 400], [`{"label":"${"x".repeat(70_000)}"}`, 413]] as const) {
      const held = await hold(app, person, { path: "/api/keys/generate", body });
      assert.equal((await held.release(101)).status, status);
    }
    assert.equal(await keysOf(person), 1);
  });
});
