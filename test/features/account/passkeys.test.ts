import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toBase64url, utf8 } from "../../../src/lib/bytes.ts";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { FLAG } from "../../support/authenticator.ts";
import { readCode, registerPasskey, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

const EMAIL = "ada@example.com";
const SESSION = "service.session_token";
const MINUTE = 60_000;
const BITWARDEN = Uint8Array.fromHex("d548826e79b4db40a3d811116f7e8349");

/** Signs in from another browser of the same user, with a passkey of its own. */
async function addSecond(app: TestApp, client: Client): Promise<Client> {
  app.now += 1000; // the list is sorted by time
  const second = app.client("198.51.100.2");
  second.cookies.set(SESSION, client.cookies.get(SESSION)!);
  const added = await registerPasskey(second);
  assert.equal(added.status, 201, added.text);
  second.cookies.delete(SESSION);
  return second;
}

// deno-lint-ignore no-explicit-any -- tests look into answers of every shape
async function passkeysOf(client: Client): Promise<any[]> {
  return (await client.get("/api/auth/passkeys")).body.passkeys;
}

const remove = (client: Client, id: string) => client.request("DELETE", `/api/auth/passkeys/${id}`);

/** Steps up for an action with one of the client's passkeys. */
async function stepUp(client: Client, action: string): Promise<Answer> {
  const options = await client.post("/api/auth/step-up/options", { action });
  assert.equal(options.status, 200, options.text);
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  return await client.post("/api/auth/step-up", { action, response });
}

describe("GET /api/auth/passkeys", () => {
  test("lists each with its details for the owner, and the ids for the Signal API", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { account } = (await signUp(client, EMAIL)).body;
    const second = await addSecond(app, client);
    app.now += 1000;
    await signIn(second);
    const { body, status } = await second.get("/api/auth/passkeys");
    assert.equal(status, 200);
    const [one, two] = [client, second].map(({ authenticator }) =>
      toBase64url(authenticator.credentials[0]!.id)
    );
    const facts = {
      provider: null,
      transports: ["hybrid", "internal"],
      backupEligible: true,
      backedUp: true,
    };
    assert.deepEqual(body.passkeys, [
      {
        ...facts,
        id: body.passkeys[0].id,
        credentialId: one,
        name: "Passkey 1",
        createdAt: "2026-01-31T09:30:00.000Z",
        lastUsedAt: null,
        current: false,
      },
      {
        ...facts,
        id: body.passkeys[1].id,
        credentialId: two,
        name: "Passkey 2",
        createdAt: "2026-01-31T09:30:01.000Z",
        lastUsedAt: "2026-01-31T09:30:02.000Z",
        current: true,
      },
    ]);
    assert.deepEqual(body.signal, {
      rpId: "localhost",
      userId: toBase64url(utf8(account.id)),
      name: EMAIL,
      displayName: EMAIL,
      allAcceptedCredentialIds: [one, two],
    });
    assert.equal((await second.get("/api/auth/passkeys?limit=1")).status, 400);
  });

  test("names a passkey after its authenticator, and shows that it stopped being backed up", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    for (let round = 0; round < 2; round++) {
      const options = await client.post("/api/auth/passkey/registration/options");
      const response = await client.authenticator.register({ ...options.body, excludeCredentials: [] }, {
        origin: client.origin,
        aaguid: BITWARDEN,
      });
      assert.equal((await client.post("/api/auth/passkey/registration", { response })).status, 201);
    }
    const passkeys = await passkeysOf(client);
    assert.deepEqual(passkeys.map(({ name }) => name).toSorted(), ["Bitwarden", "Bitwarden 2", "Passkey 1"]);
    assert.deepEqual(
      passkeys.filter(({ provider }) => provider === "Bitwarden").length,
      2,
    );
    const options = await client.post("/api/auth/passkey/authentication/options");
    const response = await client.authenticator.authenticate(options.body, {
      origin: client.origin,
      flags: FLAG.UP | FLAG.UV | FLAG.BE,
    });
    assert.equal((await client.post("/api/auth/passkey/authentication", { response })).status, 200);
    assert.deepEqual((await passkeysOf(client)).find(({ current }) => current).backedUp, false);
  });
});

describe("PATCH /api/auth/passkeys/:passkeyId", () => {
  test("renames, at any age of the sign-in, and refuses an invalid name", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += 60 * MINUTE;
    const [{ id }] = await passkeysOf(client);
    const patch = (body: unknown) => client.request("PATCH", `/api/auth/passkeys/${id}`, { body });
    const answer = await patch({ name: "  My phone 📱 " });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.passkey.name, "My phone 📱");
    const none = [{}, { name: "" }, { name: " " }, { name: "x".repeat(101) }, { name: "a\nb" }, { name: 5 }];
    for (const body of [...none, { name: "x", id: "y" }, { name: "\ud800" }]) {
      assert.equal((await patch(body)).status, 400, JSON.stringify(body));
    }
    assert.deepEqual((await passkeysOf(client)).map(({ name }) => name), ["My phone 📱"]);
  });

  test("answers 404 for another account's passkey", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(other, "eve@example.com");
    const [{ id }] = await passkeysOf(client);
    const body = { name: "Mine" };
    assert.equal((await other.request("PATCH", `/api/auth/passkeys/${id}`, { body })).status, 404);
    assert.equal((await remove(other, id)).status, 404);
    assert.equal((await other.request("PATCH", "/api/auth/passkeys/x%2Fy", { body })).status, 404);
  });
});

describe("adding a passkey", () => {
  test("excludes those the account has, with their transports (A.2 57)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await addSecond(app, client);
    const { body } = await client.post("/api/auth/passkey/registration/options");
    const { signal } = (await client.get("/api/auth/passkeys")).body;
    assert.deepEqual(
      body.excludeCredentials.map(({ id }: { id: string }) => id),
      signal.allAcceptedCredentialIds,
    );
    assert.deepEqual(body.excludeCredentials[0].transports, ["hybrid", "internal"]);
  });

  test("notifies the owner by mail, with device and network (T163, B.7 92)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await addSecond(app, client);
    const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
    const [mail] = body.messages;
    assert.equal(mail.to, EMAIL);
    for (const words of ["Passkey 2", "Unknown device", "198.51.100.2"]) {
      assert.ok(mail.text.includes(words), `${words} in ${mail.text}`);
    }
  });

  test("continues after a step-up, which is used up (T163)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const device = app.client();
    app.now += 10 * MINUTE;
    assert.equal(
      (await client.post("/api/auth/passkey/registration/options")).body.code,
      "fresh_session_required",
    );
    assert.equal((await stepUp(client, "add_passkey")).status, 200);
    const options = await client.post("/api/auth/passkey/registration/options");
    const response = await device.authenticator.register(options.body, { origin: client.origin });
    const added = await client.post("/api/auth/passkey/registration", { response });
    assert.equal(added.status, 201, added.text);
    const again = await client.post("/api/auth/passkey/registration/options");
    assert.equal(again.body.code, "fresh_session_required");
    const [first] = await passkeysOf(client);
    assert.equal((await remove(client, first.id)).body.code, "fresh_session_required");
  });

  test("refuses a credential id of another account with 400, and changes nothing (T164)", async () => {
    await using app = await createTestApp();
    const [victim, client] = [app.client(), app.client()];
    await signUp(victim, EMAIL);
    await signUp(client, "eve@example.com");
    const before = await app.db.selectFrom("passkey").selectAll().execute();
    const options = await client.post("/api/auth/passkey/registration/options");
    const response = await client.authenticator.register({ ...options.body, excludeCredentials: [] }, {
      origin: client.origin,
      credentialId: victim.authenticator.credentials[0]!.id,
    });
    const answer = await client.post("/api/auth/passkey/registration", { response });
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_passkey_registration"]);
    assert.deepEqual(await app.db.selectFrom("passkey").selectAll().execute(), before);
  });
});

describe("DELETE /api/auth/passkeys/:passkeyId", () => {
  test("ends the passkey's sessions at once, and notifies the owner (T163, A.3 80)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const second = await addSecond(app, client);
    assert.equal((await signIn(second)).status, 200);
    const [, added] = await passkeysOf(client);
    app.now += 1000;
    const answer = await remove(client, added.id);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    assert.equal((await second.get("/api/keys")).status, 401);
    const refused = await signIn(second);
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.body.errors, [
      { path: "/response/id", message: "This passkey was removed from its account" },
    ]);
    const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
    assert.equal(body.messages[0].to, EMAIL);
    assert.ok(body.messages[0].text.includes("Passkey 2"));
    assert.equal((await client.get("/api/auth/passkeys")).body.signal.allAcceptedCredentialIds.length, 1);
  });

  test("of the passkey of this session ends this session and clears its cookie", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const second = await addSecond(app, client);
    const own = (await passkeysOf(client)).find(({ current }) => current);
    assert.equal((await remove(client, own.id)).status, 204);
    assert.equal(client.cookies.has(SESSION), false);
    assert.equal((await client.get("/api/keys")).status, 401);
    assert.equal((await signIn(second)).status, 200);
  });

  test("answers 409 last_passkey for the only one (T163)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const [{ id }] = await passkeysOf(client);
    const answer = await remove(client, id);
    assert.deepEqual([answer.status, answer.body.code], [409, "last_passkey"]);
    assert.equal((await signIn(client)).status, 200);
  });

  test("leaves one when both are deleted at once, in twenty rounds", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await addSecond(app, client);
    const ids = (await passkeysOf(client)).map(({ id }) => id);
    const cookie = `${SESSION}=${client.cookies.get(SESSION)}`;
    const all = await Promise.all(
      Array.from(
        { length: 20 },
        (_, n) => app.client().request("DELETE", `/api/auth/passkeys/${ids[n % 2]}`, { headers: { cookie } }),
      ),
    );
    assert.equal(all.filter(({ status }) => status === 204).length, 1);
    for (const { status } of all) assert.ok([204, 401, 404, 409].includes(status), String(status));
    assert.equal((await app.db.selectFrom("passkey").selectAll().execute()).length, 1);
  });

  test("needs a fresh sign-in, or a step-up for this passkey (T163)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await addSecond(app, client);
    const [first, second] = await passkeysOf(client);
    app.now += 10 * MINUTE;
    assert.equal((await remove(client, second.id)).body.code, "fresh_session_required");
    assert.equal((await stepUp(client, `delete_passkey:${first.id}`)).status, 200);
    assert.equal((await remove(client, second.id)).body.code, "fresh_session_required");
    assert.equal((await stepUp(client, `delete_passkey:${second.id}`)).status, 200);
    assert.equal((await remove(client, second.id)).status, 204);
    assert.equal((await passkeysOf(client)).length, 1);
  });
});

describe("a signature counter that decreases", () => {
  test("is refused and recorded, and the passkey does not change (A.3 77, T161)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const options = await client.post("/api/auth/passkey/authentication/options");
    const response = await client.authenticator.authenticate(options.body, {
      origin: client.origin,
      counter: 1,
    });
    const answer = await client.post("/api/auth/passkey/authentication", { response });
    assert.deepEqual([answer.status, answer.body.code], [401, "invalid_passkey"]);
    assert.equal(answer.body.errors, undefined);
    const recorded = await app.db.selectFrom("audit_event").select("detail")
      .where("event", "=", "sign_in_refused").execute();
    assert.deepEqual(recorded, [{ detail: '{"reason":"sign_count"}' }]);
    assert.equal((await signIn(client)).status, 200);
  });
});

describe("signing in without naming an account", () => {
  test("options are the same for every browser, and name no credential (T165)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const ask = async () => {
      const { body, status } = await client.post("/api/auth/passkey/authentication/options", {});
      return { status, body: { ...body, challenge: "" } };
    };
    const before = await ask();
    await signUp(client, EMAIL);
    client.cookies.delete(SESSION);
    assert.deepEqual(await ask(), before);
    assert.deepEqual(before.body.allowCredentials, []);
    const named = await client.post("/api/auth/passkey/authentication/options", { email: EMAIL });
    assert.equal(named.status, 400, "no account is asked for by name");
  });

  test("an unknown credential gets the same answer as a wrong signature (A.3 71, T159)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const attempt = async (tamper: Record<string, unknown>) => {
      const options = await client.post("/api/auth/passkey/authentication/options", {});
      const response = await client.authenticator.authenticate(options.body, {
        origin: client.origin,
        ...tamper,
      });
      const answer = await client.post("/api/auth/passkey/authentication", { response });
      return { status: answer.status, body: { ...answer.body, requestId: "" } };
    };
    const id = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
    const unknown = await attempt({ id });
    assert.equal(unknown.status, 401);
    assert.deepEqual(
      await attempt({
        signature: (honest: Uint8Array) => honest.map((byte, n) => n === 9 ? byte ^ 1 : byte),
      }),
      unknown,
    );
  });
});

test("GET /.well-known/passkey-endpoints returns the URLs to create and manage passkeys, without a session", async () => {
  await using app = await createTestApp();
  const answer = await app.client().get("/.well-known/passkey-endpoints");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/json");
  const page = "http://localhost:3000/account#passkeys";
  assert.deepEqual(answer.body, { enroll: page, manage: page });
});

test("the outbox lists codes together with the mails about passkeys and devices", async () => {
  await using app = await createTestApp();
  const client = app.client();
  await signUp(client, EMAIL);
  app.now += 1000;
  await client.post("/api/auth/email-code", { email: EMAIL });
  app.now += 1000;
  await addSecond(app, client);
  assert.match(await readCode(client, EMAIL), /^\d{6}$/);
});

test("every route of passkeys, sessions and step-ups is for signed-in users", async () => {
  await using app = await createTestApp();
  const routes = [
    "GET passkeys",
    "PATCH passkeys/passkey_x",
    "DELETE passkeys/passkey_x",
    "GET sessions",
    "DELETE sessions/session_x",
    "POST sessions/revoke-others",
    "POST sessions/revoke-all",
    "POST step-up/options",
    "POST step-up",
  ];
  for (const route of routes) {
    const [method, path] = route.split(" ");
    const body = method === "GET" ? {} : { body: {} };
    const answer = await app.client().request(method!, `/api/auth/${path}`, body);
    assert.deepEqual([answer.status, answer.body.code], [401, "authentication_required"], route);
    if (method === "GET") continue;
    const foreign = { ...body, headers: { "sec-fetch-site": "cross-site" } };
    const client = app.client();
    await signUp(client, `${crypto.randomUUID()}@example.com`);
    const refused = await client.request(method!, `/api/auth/${path}`, foreign);
    assert.equal(refused.body.code, "cross_site_request", route);
  }
});
