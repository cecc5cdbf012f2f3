import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

const HOUR = 3_600_000;
const OPTIONS = "/api/auth/passkey/authentication/options";
const AUTHENTICATION = "/api/auth/passkey/authentication";

async function signIn(client: Client, more: object): Promise<Answer> {
  const { body: options } = await client.post(OPTIONS);
  const response = await client.authenticator.authenticate(options, { origin: client.origin });
  return await client.post(AUTHENTICATION, { response, ...more });
}

function cookieOf({ headers }: Answer): string {
  return headers.getSetCookie().find((text) => text.startsWith("service.session_token="))!;
}

async function isSignedIn(client: Client): Promise<boolean> {
  return (await client.get("/api/keys")).status === 200;
}

async function person(app: TestApp): Promise<Client> {
  const client = app.client();
  await signUp(client, "ada@example.com");
  return client;
}

describe("the length of sessions", () => {
  test("is 30 days, and 7 days without use, unless the operator says otherwise", async () => {
    await using app = await createTestApp();
    const client = await person(app);
    for (const more of [{}, { staySignedIn: true }]) {
      assert.match(cookieOf(await signIn(client, more)), /; Max-Age=2592000/i);
    }
    app.now += 168 * HOUR - 1;
    assert.equal(await isSignedIn(client), true);
    app.now += 168 * HOUR;
    assert.equal(await isSignedIn(client), false);
  });

  test("is what SESSION_MAX_HOURS and SESSION_IDLE_HOURS say, and the page says it", async () => {
    const environment = { SESSION_MAX_HOURS: "8", SESSION_IDLE_HOURS: "3" };
    await using app = await createTestApp({ environment });
    assert.ok((await app.client().get("/sign-in")).text.includes("You stay signed in for 8 hours"));
    const client = await person(app);
    assert.match(cookieOf(await signIn(client, {})), /; Max-Age=28800/i);
    for (const [hours, is] of [[2.9, true], [2.9, true], [2, true], [0.2, false]] as const) {
      app.now += hours * HOUR;
      assert.equal(await isSignedIn(client), is, String(hours));
    }
  });

  test("is at most SESSION_MAX_HOURS without use, if only that is set", async () => {
    await using app = await createTestApp({ environment: { SESSION_MAX_HOURS: "2160" } });
    assert.ok((await app.client().get("/sign-in")).text.includes("You stay signed in for 90 days"));
    await using short = await createTestApp({ environment: { SESSION_MAX_HOURS: "1" } });
    assert.ok((await short.client().get("/sign-in")).text.includes("You stay signed in for 1 hour."));
    const client = await person(short);
    short.now += HOUR;
    assert.equal(await isSignedIn(client), false);
  });

  test("on a shared computer ends with the browser, and after an hour without use", async () => {
    await using app = await createTestApp();
    const client = await person(app);
    const cookie = cookieOf(await signIn(client, { staySignedIn: false }));
    assert.doesNotMatch(cookie, /max-age|expires/i);
    for (let times = 0; times < 3; times++) {
      app.now += 59 * 60_000;
      assert.equal(await isSignedIn(client), true);
    }
    app.now += HOUR;
    assert.equal(await isSignedIn(client), false);
    assert.equal((await signIn(client, { staySignedIn: "no" })).status, 400);
  });
});
