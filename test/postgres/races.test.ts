import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { proveAddress, readCode, registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { ORIGIN } from "../support/app.ts";
import {
  exchange,
  getCode,
  getTokens,
  isActive,
  pkcePair,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";
import type { Provider, Registered } from "../support/oauth.ts";
import { startSeveral } from "../support/two-processes.ts";
import type { SeveralProcesses } from "../support/two-processes.ts";

const LIMIT = { timeout: 60_000 };
const AT_ONCE = 40;

/** Returns the number of responses of each status. */
function statuses(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// Single-use acts at four processes, on two runtimes over one server.
describe("concurrent requests to four processes", () => {
  let all: SeveralProcesses;
  let doors: readonly Provider[];
  let client: Registered;
  let people = 0;

  before(async () => {
    all = await startSeveral(["bun", "deno", "bun", "deno"], { RATE_LIMITS: "off" });
    doors = all.providers;
    client = await registerClient(doors[0]!);
  }, { timeout: 120_000 });
  after(() => all[Symbol.asyncDispose]());

  function concurrently(ask: (door: Provider, index: number) => Promise<Answer>): Promise<Answer[]> {
    return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(doors[index % 4]!, index)));
  }

  /** Returns the browser with its cookies as a client of one process. */
  function at(door: Provider, browser: Client): Client {
    const there = { ...door.client(), authenticator: browser.authenticator };
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    return there;
  }

  async function newPerson(): Promise<Client> {
    const browser = doors[people % 4]!.client();
    await signUp(browser, `person${people++}@example.com`);
    return browser;
  }

  test("redeem a code once, and the others revoke its grant", LIMIT, async () => {
    const given = await getCode(await newPerson(), client);
    const answers = await concurrently((door) => exchange(door, client, given));
    assert.deepEqual(statuses(answers), { 200: 1, 400: AT_ONCE - 1 });
    const { access_token, refresh_token } = answers.find(({ status }) => status === 200)!.body;
    assert.equal((await userinfo(doors[3]!, access_token)).status, 401);
    assert.equal(await isActive(doors[2]!, client, refresh_token), false);
  });

  test("do not use up a code with wrong verifiers beside the right one", LIMIT, async () => {
    const given = await getCode(await newPerson(), client);
    const thief = { ...given, verifier: pkcePair().verifier };
    const answers = await concurrently((door, index) => exchange(door, client, index === 17 ? given : thief));
    assert.deepEqual(statuses(answers), { 200: 1, 400: AT_ONCE - 1 });
    assert.equal((await userinfo(doors[0]!, answers[17]!.body.access_token)).status, 200);
  });

  test("use a refresh token once, and detect its reuse after its successor was used", LIMIT, async () => {
    const { refresh_token } = await getTokens(doors[0]!, await newPerson(), client);
    const answers = await concurrently((door) => refresh(door, client, refresh_token));
    assert.deepEqual(statuses(answers), { 200: AT_ONCE });
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const next = await refresh(doors[1]!, client, answers[0]!.body.refresh_token);
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(statuses(await concurrently((door) => refresh(door, client, refresh_token))), {
      400: AT_ONCE,
    });
    assert.equal((await userinfo(doors[3]!, next.body.access_token)).status, 401);
  });

  test("count three tries of an e-mail code", LIMIT, async () => {
    const browser = doors[0]!.client();
    const email = "tries@example.com";
    assert.equal((await browser.post("/api/auth/email-code", { email })).status, 200);
    const code = await readCode(browser, email);
    const wrong = code === "000000" ? "000001" : "000000";
    const tryCode = (door: Provider, tried: string) =>
      at(door, browser).post("/api/auth/email-code/verify", { email, code: tried });
    assert.deepEqual(statuses(await concurrently((door) => tryCode(door, wrong))), { 400: AT_ONCE });
    for (const door of doors) assert.equal((await tryCode(door, code)).status, 400);
  });

  test("take the right e-mail code once", LIMIT, async () => {
    const browser = doors[0]!.client();
    const email = "right@example.com";
    assert.equal((await browser.post("/api/auth/email-code", { email })).status, 200);
    const code = await readCode(browser, email);
    const answers = await concurrently((door) =>
      at(door, browser).post("/api/auth/email-code/verify", { email, code })
    );
    assert.deepEqual(statuses(answers), { 200: 1, 400: AT_ONCE - 1 });
  });

  test("create one account for a verified address", LIMIT, async () => {
    const browser = doors[0]!.client();
    assert.equal(await proveAddress(browser, "once@example.com"), "register_passkey");
    const path = "/api/auth/passkey/registration";
    const responses: unknown[] = [];
    for (let index = 0; index < AT_ONCE; index++) {
      const options = await at(doors[index % 4]!, browser).post(`${path}/options`, { account: "new" });
      responses.push(await createAuthenticator().register(options.body, { origin: ORIGIN }));
    }
    const answers = await concurrently((door, index) =>
      at(door, browser).post(path, { response: responses[index], account: "new" })
    );
    assert.equal(statuses(answers)[201], 1, JSON.stringify(statuses(answers)));
    assert.ok(answers.every(({ status }) => status === 201 || (status >= 400 && status < 500)));
  });

  test("sign in once with one response", LIMIT, async () => {
    const person = await newPerson();
    const browser = doors[0]!.client();
    const options = await browser.post("/api/auth/passkey/authentication/options", {});
    const response = await person.authenticator.authenticate(options.body, { origin: ORIGIN });
    const answers = await concurrently((door) =>
      at(door, browser).post("/api/auth/passkey/authentication", { response })
    );
    assert.deepEqual(statuses(answers), { 200: 1, 401: AT_ONCE - 1 });
  });

  test("keep one of an account's two passkeys", LIMIT, async () => {
    const person = await newPerson();
    const other = { ...person, authenticator: createAuthenticator() };
    assert.equal((await registerPasskey(other)).status, 201);
    const { passkeys } = (await person.get("/api/auth/passkeys")).body;
    assert.equal(passkeys.length, 2);
    const answers = await concurrently((door, index) =>
      at(door, person).request("DELETE", `/api/auth/passkeys/${passkeys[index % 2].id}`)
    );
    assert.equal(statuses(answers)[204], 1, JSON.stringify(statuses(answers)));
    assert.ok(answers.every(({ status }) => [204, 401, 404, 409].includes(status)));
    const left = await Promise.all([person, other].map((browser) => signIn(at(doors[2]!, browser))));
    assert.deepEqual(left.map(({ status }) => status).sort(), [200, 401]);
  });

  test("create keys with indexes without a gap, and one key for one Idempotency-Key", LIMIT, async () => {
    const person = await newPerson();
    const made = await concurrently((door) => at(door, person).post("/api/keys/generate", {}));
    assert.deepEqual(statuses(made), { 201: AT_ONCE });
    const headers = { "idempotency-key": "the same at all" };
    const same = await concurrently((door) => at(door, person).post("/api/keys/generate", {}, { headers }));
    assert.deepEqual([statuses(same), new Set(same.map(({ text }) => text)).size], [{ 201: AT_ONCE }, 1]);
    const { keys } = (await at(doors[3]!, person).get("/api/keys?limit=100")).body;
    const indexes = keys.map(({ keyIndex }: { keyIndex: number }) => keyIndex);
    assert.deepEqual(indexes, Array.from({ length: AT_ONCE + 2 }, (_, index) => index));
  });

  test("create one token for one Idempotency-Key", LIMIT, async () => {
    const person = await newPerson();
    const headers = { "idempotency-key": "one token" };
    const terms = { name: "Bot", keys: "all", actions: ["read"] };
    const made = await concurrently((door) => at(door, person).post("/api/auth/tokens", terms, { headers }));
    assert.deepEqual([statuses(made), new Set(made.map(({ text }) => text)).size], [{ 201: AT_ONCE }, 1]);
    assert.equal((await person.get("/api/auth/tokens")).body.tokens.length, 1);
  });
});
