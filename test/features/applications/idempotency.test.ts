import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { begin, mailsTo, stepUp } from "../../support/recovery.ts";

const MINUTE = 60_000;
const TOKENS = "/api/auth/tokens";
const CLIENTS = "/api/admin/oauth/clients";
const BOT = { name: "Bot", keys: "all", actions: ["sign"] };
const BOOKS = {
  name: "Books",
  uri: "https://books.example",
  type: "web",
  redirectUris: ["https://books.example/cb"],
};

const code = ({ status, body }: Answer): string => `${status} ${body?.code}`;

async function newPerson(app: TestApp, email = "ada@example.com"): Promise<Client> {
  const person = app.client();
  await signUp(person, email);
  return person;
}

/** Requests a token with an `Idempotency-Key`. */
const ask = (person: Client, body: object = BOT, key = "one"): Promise<Answer> =>
  person.post(TOKENS, body, { headers: { "idempotency-key": key } });

describe("a program's token under an Idempotency-Key", () => {
  test("is created once, also by concurrent requests, and the owner gets one mail", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    const answers = [...await Promise.all([ask(person), ask(person), ask(person)]), await ask(person)];
    for (const answer of answers) {
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body, answers[0]!.body);
      assert.equal(answer.headers.get("location"), `${TOKENS}/${answer.body.token.id}`);
    }
    assert.equal((await person.get(TOKENS)).body.tokens.length, 1);
    const { body: { messages } } = await person.get("/dev/outbox", {
      headers: { accept: "application/json" },
    });
    const notices = messages.filter(({ text }: { text: string }) => text.includes("Bot"));
    assert.equal(notices.length, 1);
    const authorization = `Bearer ${answers[3]!.body.text}`;
    assert.equal((await app.client().get("/api/keys", { headers: { authorization } })).status, 403);
  });

  test("is stored as a hash and encrypted, and never in plain text", async () => {
    await using app = await createTestApp();
    const { body: { text } } = await ask(await newPerson(app));
    const [row] = await app.db.selectFrom("idempotent_answer").selectAll().execute();
    assert.ok(row!.sealed!.length > 0);
    const bytes = new TextDecoder("latin1").decode(row!.sealed!);
    assert.ok(!JSON.stringify(row).includes(text) && !bytes.includes(text));
  });

  test("is refused with another body, and created again under another key or without one", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    const first = await ask(person);
    assert.equal(code(await ask(person, { ...BOT, actions: ["read", "sign"] })), "422 idempotency_mismatch");
    assert.equal(code(await ask(person, BOT, "é")), "400 invalid_request");
    for (const other of [await ask(person, BOT, "two"), await person.post(TOKENS, BOT)]) {
      assert.equal(other.status, 201);
      assert.notEqual(other.body.text, first.body.text);
    }
  });

  test("is shown to no other account, and to no other session of the same", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    const first = await ask(person);
    const bob = await ask(await newPerson(app, "bob@example.com"));
    assert.notEqual(bob.body.token.id, first.body.token.id);
    // A second browser of the same user needs a fresh sign-in itself, and gets its own token.
    person.cookies.clear();
    await signIn(person);
    app.now += 11 * MINUTE;
    assert.equal(code(await ask(person)), "403 fresh_session_required");
    await signIn(person);
    assert.notEqual((await ask(person)).body.token.id, first.body.token.id);
  });

  test("is returned for ten minutes, also after its step-up was used up, and not created again afterwards", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    app.now += 11 * MINUTE;
    assert.equal(code(await ask(person)), "403 fresh_session_required");
    const options = await person.post("/api/auth/step-up/options", { action: "add_token" });
    const response = await person.authenticator.authenticate(options.body, { origin: person.origin });
    await person.post("/api/auth/step-up", { action: "add_token", response });
    const first = await ask(person);
    assert.equal(first.status, 201, first.text);
    assert.equal(code(await ask(person, BOT, "two")), "403 fresh_session_required");
    app.now += 9 * MINUTE;
    assert.deepEqual((await ask(person)).body, first.body);
    app.now += MINUTE;
    assert.equal(code(await ask(person)), "409 already_made");
    assert.equal((await person.get(TOKENS)).body.tokens.length, 1);
  });

  test("a refusal is not stored", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    assert.equal(code(await ask(person, { ...BOT, keys: ["key_unknown"] })), "400 invalid_request");
    assert.equal((await ask(person)).status, 201);
  });
});

describe("recovery codes under an Idempotency-Key", () => {
  const CODES = "/api/auth/way-back/codes";
  const make = (person: Client, key = "one"): Promise<Answer> =>
    person.post(CODES, {}, { headers: { "idempotency-key": key } });
  const madeIn = async (person: Client): Promise<number> => {
    const { events } = (await person.get("/api/audit")).body;
    return events.filter(({ event }: { event: string }) => event === "recovery_changed").length;
  };

  test("are created once, also by concurrent requests, and the owner gets one mail", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    const answers = [...await Promise.all([make(person), make(person)]), await make(person)];
    for (const answer of answers) {
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body, answers[0]!.body);
    }
    assert.equal(answers[0]!.body.codes.length, 8);
    assert.equal(await madeIn(person), 1);
    const mails = await mailsTo(person, "ada@example.com");
    assert.equal(mails.filter(({ subject }) => subject === "Recovery codes were created").length, 1);
    assert.notDeepEqual((await make(person, "two")).body.codes, answers[0]!.body.codes);
    assert.equal(await madeIn(person), 2);
    const begun = await begin(app.client("127.0.0.9"), "ada@example.com", answers[0]!.body.codes[0]);
    assert.equal(code(begun), "403 recovery_refused", "an answer of before brings no codes back");
  });

  test("are returned for ten minutes, to this session only, and never stored in plain text", async () => {
    await using app = await createTestApp();
    const person = await newPerson(app);
    app.now += 11 * MINUTE;
    assert.equal(code(await make(person)), "403 fresh_session_required");
    await stepUp(person, "change_recovery");
    const first = await make(person);
    assert.equal(first.status, 201, first.text);
    const rows = JSON.stringify(await app.db.selectFrom("idempotent_answer").selectAll().execute());
    for (const one of first.body.codes) assert.ok(!rows.includes(one));
    app.now += 9 * MINUTE;
    assert.deepEqual((await make(person)).body, first.body);
    const other = Object.assign(app.client(), { authenticator: person.authenticator });
    await signIn(other);
    app.now += MINUTE;
    assert.notDeepEqual((await make(other)).body.codes, first.body.codes);
    assert.equal(code(await make(person)), "409 already_made");
  });
});

describe("an application under an Idempotency-Key", () => {
  const headersOf = (key: string) => ({
    authorization: `Bearer ${ADMIN_KEY}`,
    "idempotency-key": key,
  });
  const register = (app: TestApp, body: object = BOOKS): Promise<Answer> =>
    app.client().post(CLIENTS, body, { headers: headersOf("one") });

  test("is registered once, with one secret, and not with another body", async () => {
    await using app = await createTestApp();
    const answers = [...await Promise.all([register(app), register(app)]), await register(app)];
    for (const answer of answers) {
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body, answers[0]!.body);
      assert.match(answer.body.client.clientSecret, /^[A-Za-z0-9]{43}$/);
    }
    assert.equal(code(await register(app, { ...BOOKS, name: "Other" })), "422 idempotency_mismatch");
    assert.equal((await app.db.selectFrom("client").select("id").execute()).length, 1);
    app.now += 10 * MINUTE;
    assert.equal(code(await register(app)), "409 already_made");
  });

  test("without a secret is returned for a day", async () => {
    await using app = await createTestApp();
    const first = await register(app, { ...BOOKS, type: "spa" });
    app.now += 23 * 60 * MINUTE;
    assert.deepEqual((await register(app, { ...BOOKS, type: "spa" })).body, first.body);
  });

  test("an invitation is created once too, with one link and one mail", async () => {
    await using app = await createTestApp();
    const invite = (email: string) =>
      app.client().post("/api/admin/invitations", { email }, { headers: headersOf("invite") });
    const [first, again] = [await invite("ada@example.com"), await invite("ada@example.com")];
    assert.equal(first.status, 201, first.text);
    assert.deepEqual(again.body, first.body);
    assert.match(first.body.link, /invitation=/);
    assert.equal(code(await invite("bob@example.com")), "422 idempotency_mismatch");
    assert.equal((await app.db.selectFrom("invitation").select("id").execute()).length, 1);
    assert.equal((await app.db.selectFrom("outbox").select("id").execute()).length, 1);
  });

  test("gets one new secret, and each application its own", async () => {
    await using app = await createTestApp();
    const [books, other] = [
      (await register(app)).body.client,
      (await app.client().post(CLIENTS, BOOKS, { headers: headersOf("other") })).body.client,
    ];
    const rotate = (id: string) =>
      app.client().post(`${CLIENTS}/${id}/secret`, {}, { headers: headersOf("rotate") });
    const [once, again] = [await rotate(books.clientId), await rotate(books.clientId)];
    assert.equal(once.status, 200, once.text);
    assert.notEqual(once.body.client.clientSecret, books.clientSecret);
    assert.equal(again.body.client.clientSecret, once.body.client.clientSecret);
    assert.equal(code(await rotate(other.clientId)), "422 idempotency_mismatch");
    const { body: { client } } = await app.client().get(`${CLIENTS}/${books.clientId}`, {
      headers: headersOf("any"),
    });
    assert.equal(client.clientSecret, undefined);
  });
});
