import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../src/db/database.ts";
import type { Job, Scope } from "../../src/db/engine.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { watched } from "../support/engine.ts";
import { authorizePath, exchange, getCode, pkcePair } from "../support/oauth.ts";
import { locationOf, providerOf, refresh, registerClient, userinfo } from "../support/oauth.ts";

/** The statements of one request: what they do, and the table. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  session: [],
  userinfo: [],
  signature: ["begin", "insert audit_event", "select audit_event", "commit"],
  authorization: [
    "begin",
    "insert authorization_grant",
    "update owner_state",
    "insert audit_event",
    "select audit_event",
    "commit",
  ],
  code: [
    "begin",
    "insert refresh_token",
    "update authorization_grant",
    "update owner_state",
    "insert audit_event",
    "select audit_event",
    "commit",
  ],
  refresh: [
    "select refresh_token",
    "begin",
    "insert refresh_token",
    "update authorization_grant",
    "update owner_state",
    "insert audit_event",
    "select audit_event",
    "commit",
  ],
};

/** Returns the first word of a statement, and the table of a query. */
function nameOf(sql: string): string {
  const match = /^(select|insert|update|delete)\b(?:[^]*?\b(?:from|into))?\s+"(\w+)"/.exec(sql);
  return match === null ? sql : `${match[1]} ${match[2]}`;
}

test("a request takes these statements, with rows in memory and no other connection that writes", async () => {
  let statements: string[] = [];
  const engine = watched(await openSqlite(":memory:"), ({ sql }) => void statements.push(nameOf(sql)));
  const transaction = async <T>(job: Job<T>, scope?: Scope): Promise<T> => {
    statements.push("begin");
    const value = await engine.transaction(job, scope);
    statements.push("commit");
    return value;
  };
  const db = await openDatabase({ ...engine, transaction });
  await using app = await createTestApp({ db });
  const [owner, provider] = [app.client(), providerOf(app)];
  const path = `/api/keys/${(await signUp(owner, "alice@example.com")).body.key.id}/sign`;
  const application = await registerClient(provider);
  await getCode(owner, application);
  const found: Record<string, readonly string[]> = {};
  const count = async <T>(name: string, request: () => Promise<T>): Promise<T> => {
    statements = [];
    const answer = await request();
    found[name] = statements;
    return answer;
  };
  // The first request of each kind reads rows into memory.
  for (let round = 0; round < 2; round++) {
    await count("session", () => owner.get("/api/keys"));
    await count("signature", () => owner.post(path, { message: "hello" }));
    const pair = pkcePair();
    const answer = await count("authorization", () => owner.get(authorizePath(application, pair)));
    const code = locationOf(answer).searchParams.get("code")!;
    const given = { code, verifier: pair.verifier, redirectUri: application.redirectUris[0]! };
    const { body } = await count("code", () => exchange(provider, application, given as never));
    assert.ok(body.refresh_token);
    await count("userinfo", () => userinfo(provider, body.access_token));
    await count("refresh", () => refresh(provider, application, body.refresh_token));
  }
  assert.deepEqual(found, EXPECTED);
  await db.destroy();
});
