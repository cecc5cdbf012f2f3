import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { createTestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import {
  askForConsent,
  authorizePath,
  decide,
  exchange,
  getCode,
  locationOf,
  pkcePair,
  providerOf,
  registerClient,
} from "../../support/oauth.ts";

const EMAIL = "ada@example.com";
const SESSION = "service.session_token";
const MINUTE = 60_000;

const optionsFor = (client: Client, action: unknown) => client.post("/api/auth/step-up/options", { action });

async function stepUp(client: Client, action: string): Promise<Answer> {
  const options = await optionsFor(client, action);
  assert.equal(options.status, 200, options.text);
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  return await client.post("/api/auth/step-up", { action, response });
}

describe("POST /api/auth/step-up", () => {
  test("returns the expiry, and replaces the token of the same session (B.1 9, ASVS 7.2.4)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const before = (await client.get("/api/auth/session")).body;
    const token = client.cookies.get(SESSION)!;
    app.now += 60 * MINUTE;
    const answer = await stepUp(client, "add_passkey");
    assert.deepEqual([answer.status, answer.body], [
      200,
      { action: "add_passkey", expiresAt: "2026-01-31T10:40:00.000Z" },
    ]);
    const cookie = answer.headers.getSetCookie();
    assert.equal(cookie.length, 1);
    assert.match(cookie[0]!, /^service\.session_token=.*; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    assert.notEqual(client.cookies.get(SESSION), token);
    assert.deepEqual((await client.get("/api/auth/session")).body, before);
    client.cookies.set(SESSION, token);
    assert.equal((await client.get("/api/keys")).status, 401);
  });

  test("refuses an unknown action", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const none = [undefined, null, 5, "", "sign", "add_passkey:x", "delete_passkey", "loosen_key:key_x"];
    for (const action of [...none, ["add_passkey"], "constructor"]) {
      const answer = await optionsFor(client, action);
      assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], String(action));
      const finished = await client.post("/api/auth/step-up", { action, response: {} });
      assert.equal(finished.status, 400, String(action));
    }
    const more = await client.post("/api/auth/step-up/options", { action: "add_passkey", userId: "x" });
    assert.equal(more.status, 400);
  });

  test("refuses a challenge of another action, another session or a sign-in, with the same answer (T153, T156)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const [{ id }] = (await client.get("/api/auth/passkeys")).body.passkeys;
    const other = { ...app.client(), authenticator: client.authenticator };
    assert.equal((await signIn(other)).status, 200);
    const answerTo = (body: Answer["body"]) =>
      client.authenticator.authenticate(body, { origin: client.origin });
    const challenges = [
      (await optionsFor(client, `delete_passkey:${id}`)).body,
      (await optionsFor(other, "add_passkey")).body,
      (await client.post("/api/auth/passkey/authentication/options", {})).body,
    ];
    const answers: Answer[] = [];
    for (const body of challenges) {
      const response = await answerTo(body);
      answers.push(await client.post("/api/auth/step-up", { action: "add_passkey", response }));
    }
    const signed = await answerTo((await optionsFor(client, "add_passkey")).body);
    const asSignIn = await client.post("/api/auth/passkey/authentication", { response: signed });
    assert.equal(asSignIn.body.code, "invalid_passkey");
    for (const { status, body } of answers) {
      assert.deepEqual({ ...body, requestId: "" }, { ...answers[0]!.body, requestId: "" });
      assert.deepEqual([status, body.code], [401, "invalid_passkey"]);
    }
    assert.equal((await client.get("/api/keys")).status, 200, "a failure keeps the session");
  });

  test("refuses another account's passkey, although its user handle is right (A.3 84)", async () => {
    await using app = await createTestApp();
    const [client, eve] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(eve, "eve@example.com");
    const options = await optionsFor(client, "add_passkey");
    const response = await eve.authenticator.authenticate({ ...options.body, allowCredentials: [] }, {
      origin: client.origin,
    });
    const answer = await client.post("/api/auth/step-up", { action: "add_passkey", response });
    assert.deepEqual([answer.status, answer.body.code], [401, "invalid_passkey"]);
  });

  test("steps up once when one response is sent twenty times at once, and issues one token", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const options = await optionsFor(client, "add_passkey");
    const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
    const headers = { cookie: `${SESSION}=${client.cookies.get(SESSION)}` };
    const clients = Array.from({ length: 20 }, () => app.client());
    const body = { action: "add_passkey", response };
    const answers = await Promise.all(
      clients.map((one) => one.post("/api/auth/step-up", body, { headers })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const working = await Promise.all(clients.map((one) => one.get("/api/keys")));
    assert.equal(working.filter(({ status }) => status === 200).length, 1);
  });

  test("permits one of twenty concurrent requests", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { key } = (await signUp(client, EMAIL)).body;
    const patch = (blindSigning: string) =>
      client.request("PATCH", `/api/keys/${key.id}`, { body: { blindSigning } });
    await patch("deny");
    app.now += 10 * MINUTE;
    assert.equal((await patch("guard")).body.code, "fresh_session_required");
    assert.equal((await stepUp(client, `loosen_key:${key.id}`)).status, 200);
    assert.equal((await patch("guard")).body.key.blindSigning, "guard");
    assert.equal((await patch("allow")).body.code, "fresh_session_required", "it is used up");
    assert.equal((await stepUp(client, `loosen_key:${key.id}`)).status, 200);
    const all = await Promise.all(Array.from({ length: 20 }, () => patch("allow")));
    // The others find the setting loosened already, or the step-up used up.
    for (const { status } of all) assert.ok(status === 200 || status === 403, String(status));
    const loosened = await app.db.selectFrom("audit_event").select("detail")
      .where("event", "=", "blind_signing_changed").execute();
    assert.deepEqual(loosened.map(({ detail }) => JSON.parse(detail).to), ["deny", "guard", "allow"]);
  });

  test("counts towards the ceremonies of its network", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const client = app.client();
    await signUp(client, EMAIL);
    for (let n = 0; n < 29; n++) assert.equal((await optionsFor(client, "add_passkey")).status, 200);
    assert.equal((await optionsFor(client, "add_passkey")).body.code, "rate_limited");
  });

  test("lasts ten minutes", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += 60 * MINUTE;
    await stepUp(client, "add_passkey");
    app.now += 10 * MINUTE - 1;
    assert.equal((await client.post("/api/auth/passkey/registration/options")).status, 200);
    app.now += 1;
    const late = await client.post("/api/auth/passkey/registration/options");
    assert.equal(late.body.code, "fresh_session_required");
  });
});

describe("a step-up and applications", () => {
  test("auth_time stays the time of the sign-in, and max_age and prompt=login still require a sign-in", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const registered = await registerClient(provider);
    const client = app.client();
    await signUp(client, EMAIL);
    const signedInAt = app.now;
    app.now += 60 * MINUTE;
    await stepUp(client, "add_passkey");
    for (const change of [{ max_age: "60" }, { prompt: "login" }] as Record<string, string>[]) {
      const answer = await client.get(authorizePath(registered, pkcePair(), change));
      assert.equal(locationOf(answer).pathname, "/sign-in", JSON.stringify(change));
    }
    const tokens = await exchange(provider, registered, await getCode(client, registered));
    const claims = decodeJwt(tokens.body.id_token);
    assert.equal(claims.auth_time, Math.floor(signedInAt / 1000));
  });

  test("a pending consent continues after a step-up, because the session is the same", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const registered = await registerClient(provider);
    const client = app.client();
    await signUp(client, EMAIL);
    const request = await askForConsent(client, registered, pkcePair());
    assert.equal((await stepUp(client, "add_passkey")).status, 200);
    const answer = await decide(client, request);
    assert.ok(locationOf(answer).searchParams.has("code"), answer.text);
  });
});
