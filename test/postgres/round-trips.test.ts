import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { authorizePath, exchange, getCode, locationOf, pkcePair } from "../support/oauth.ts";
import { providerOf, refresh, registerClient, userinfo } from "../support/oauth.ts";

/** The state of an owner, or of several, and the end of the log. */
const STATE = "select owner_state";

/** The session, and the state of its account. */
const SESSION = `select session, ${STATE}`;

/** The lock of the log, the entry, its checks and the commit. */
const LOG = "lock, insert audit_event, select audit_event, select audit_event, commit";

const WITH_STATE = `update owner_state, ${LOG}`;

/** The round trips of a request that is alone in flight: the statements of each, which are sent together. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  session: [SESSION],
  userinfo: [STATE],
  signature: [SESSION, `begin, ${LOG}`],
  authorization: [
    `${STATE}, ${SESSION}`,
    `begin, insert authorization_grant, ${WITH_STATE}`,
  ],
  code: [
    STATE,
    `begin, insert refresh_token, update authorization_grant, ${WITH_STATE}`,
  ],
  refresh: [
    `${STATE}, select refresh_token`,
    `begin, insert refresh_token, update authorization_grant, ${WITH_STATE}`,
  ],
};

/** Returns the first word of a statement and its table. */
function nameOf(statement: string): string {
  const sql = statement.replace(/^with written as \(/, "");
  if (/^(?:begin|commit)\b/.test(sql)) return sql.slice(0, sql.search(/\W|$/));
  if (sql.includes("pg_advisory_xact_lock")) return "lock";
  if (sql.startsWith("select") && sql.includes('"owner_state"')) return STATE;
  const match = /^(\w+)\b(?:[^]*?\b(?:from(?: only)?|into))?\s+(?:"\w+"\.)?"(\w+)"/.exec(sql);
  return match === null ? sql : `${match[1]} ${match[2]}`;
}

type Query = (this: unknown, config: string | { readonly text: string }) => Promise<unknown>;

/** Adds each round trip of the driver to `trips`. Statements that are sent before an answer arrives share one. */
function countTrips(trips: string[]): Disposable {
  const { prototype } = pg.Client as unknown as { readonly prototype: { query: Query } };
  const { query } = prototype;
  let waiting = 0;
  prototype.query = function (config) {
    const name = nameOf(typeof config === "string" ? config : config.text);
    if (waiting++ === 0) trips.push(name);
    else trips[trips.length - 1] += `, ${name}`;
    return query.call(this, config).finally(() => waiting--);
  };
  return { [Symbol.dispose]: () => void (prototype.query = query) };
}

test("a request takes these round trips, with rows in memory and nothing else in flight", {
  timeout: 60_000,
}, async () => {
  const trips: string[] = [];
  await using app = await createTestApp();
  const [owner, provider] = [app.client(), providerOf(app)];
  const path = `/api/keys/${(await signUp(owner, "alice@example.com")).body.key.id}/sign`;
  const application = await registerClient(provider);
  await getCode(owner, application);
  using _ = countTrips(trips);
  const found: Record<string, readonly string[]> = {};
  const count = async <T>(name: string, request: () => Promise<T>): Promise<T> => {
    trips.length = 0;
    const answer = await request();
    found[name] = [...trips];
    return answer;
  };
  // The first request of each kind reads rows into memory.
  for (let round = 0; round < 2; round++) {
    await count("session", () => owner.get("/api/auth/session"));
    await count("signature", () => owner.post(path, { message: "hello" }));
    const pair = pkcePair();
    const answer = await count("authorization", () => owner.get(authorizePath(application, pair)));
    const code = locationOf(answer).searchParams.get("code")!;
    const given = { code, verifier: pair.verifier, redirectUri: application.redirectUris[0]! };
    const { body } = await count("code", () => exchange(provider, application, given));
    assert.ok(body.refresh_token);
    await count("userinfo", () => userinfo(provider, body.access_token));
    await count("refresh", () => refresh(provider, application, body.refresh_token));
  }
  assert.deepEqual(found, EXPECTED);
});
