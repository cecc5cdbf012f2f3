import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ADMIN_KEY } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import {
  askForConsent,
  decide,
  exchange,
  getCode,
  getTokens,
  isActive,
  locationOf,
  pkcePair,
  providerAt,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";
import type { Provider, Registered } from "../support/oauth.ts";
import { findFreePort } from "../support/free-port.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 60_000 };

function outcomes(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status < 400 ? String(status) : `${status} ${body?.error ?? body?.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

// One process on Bun, one on Deno, at ports chosen here, because both print the same base URL.
describe("concurrent requests to two processes on one database", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let services: readonly Service[];
  let provider: Provider;
  let doors: readonly Provider[];
  let person: Client;
  let client: Registered;

  before(async () => {
    folder = temporaryFolder();
    const [first, second] = [await findFreePort(), await findFreePort()];
    const origin = `http://localhost:${first}`;
    const env = { BASE_URL: origin, RATE_LIMITS: "off", ADMIN_API_KEY: ADMIN_KEY };
    const dataDir = folder.path;
    const bun = await startService({
      runtime: builtRuntime("bun"),
      dataDir,
      env: { ...env, PORT: String(first) },
    });
    const deno = await startService({
      runtime: builtRuntime("deno"),
      dataDir,
      env: { ...env, PORT: String(second) },
    });
    services = [bun, deno];
    doors = [providerAt(origin), providerAt(origin, `http://localhost:${second}`)];
    provider = doors[0]!;
    person = provider.client();
    await signUp(person, "ada@example.com");
    client = await registerClient(provider);
  }, LIMIT);
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    folder[Symbol.dispose]();
  });

  function concurrently(
    count: number,
    ask: (door: Provider, index: number) => Promise<Answer>,
  ): Promise<Answer[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => ask(doors[index % 2]!, index)));
  }

  test("redeem a code once of 20 times, and the others revoke its grant as replays", LIMIT, async () => {
    const given = await getCode(person, client);
    const answers = await concurrently(20, (door) => exchange(door, client, given));
    assert.deepEqual(outcomes(answers), { "200": 1, "400 invalid_grant": 19 });
    const { access_token, refresh_token } = answers.find(({ status }) => status === 200)!.body;
    assert.equal((await userinfo(provider, access_token)).status, 401);
    assert.equal(await isActive(provider, client, refresh_token), false);
  });

  test("with 20 wrong verifiers do not use up a code", LIMIT, async () => {
    const given = await getCode(person, client);
    const thief = { ...given, verifier: pkcePair().verifier };
    const answers = await concurrently(
      21,
      (door, index) => exchange(door, client, index === 10 ? given : thief),
    );
    assert.deepEqual(outcomes(answers), { "200": 1, "400 invalid_grant": 20 });
    assert.equal((await userinfo(provider, answers[10]!.body.access_token)).status, 200);
  });

  test("get one answer for ten uses of a refresh token, until its successor is used", LIMIT, async () => {
    const tokens = await getTokens(provider, person, client);
    const answers = await concurrently(10, (door) => refresh(door, client, tokens.refresh_token));
    assert.deepEqual(outcomes(answers), { "200": 10 });
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, "one rotation");
    const next = await refresh(provider, client, answers[0]!.body.refresh_token);
    assert.equal(next.status, 200, next.text);
    const reuse = await concurrently(10, (door) => refresh(door, client, tokens.refresh_token));
    assert.deepEqual(outcomes(reuse), { "400 invalid_grant": 10 });
    assert.equal((await refresh(provider, client, next.body.refresh_token)).status, 400);
    assert.equal((await userinfo(provider, next.body.access_token)).status, 401);
  });

  test("are refused with a refresh token that was spent more than 10 s ago", LIMIT, async () => {
    const tokens = await getTokens(provider, person, client);
    const { body: next } = await refresh(provider, client, tokens.refresh_token);
    await delay(10_500);
    const answers = await concurrently(10, (door) => refresh(door, client, tokens.refresh_token));
    assert.deepEqual(outcomes(answers), { "400 invalid_grant": 10 });
    assert.equal(await isActive(provider, client, next.refresh_token), false);
    assert.equal((await userinfo(provider, next.access_token)).status, 401);
  });

  test("decide a request once of ten times", LIMIT, async () => {
    const request = await askForConsent(person, client, pkcePair(), { prompt: "consent" });
    const browsers = doors.map((door) => {
      const browser = door.client();
      for (const [name, value] of person.cookies) browser.cookies.set(name, value);
      return browser;
    });
    const answers = await concurrently(
      10,
      (_, index) => decide(browsers[index % 2]!, request, index % 3 === 0 ? "approve" : "deny"),
    );
    const decided = answers.filter(({ status }) => status === 303);
    assert.equal(decided.length, 1, JSON.stringify(outcomes(answers)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [303, 400]);
    const isApproved = locationOf(decided[0]!).searchParams.has("code");
    assert.equal(answers.indexOf(decided[0]!) % 3 === 0, isApproved);
  });
});
