import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import { approve } from "../support/asking.ts";
import { signIn, signUp } from "../support/client.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";
import { editFile, editSchema } from "../support/hostile-file.ts";
import { dropMemory } from "../support/inconsistent.ts";
import type { Row, Statement } from "../support/lying-database.ts";
import { KINDS, rowsOf, setStage } from "../support/lying-stage.ts";
import type { Stage } from "../support/lying-stage.ts";
import { exchange, getCode, providerOf, refresh, userinfo } from "../support/oauth.ts";

/** Sends every request that the operator can. Errors are ignored, because the answers are inspected. */
async function tryEverything(stage: Stage): Promise<string[]> {
  const { app, application, operator, operatorKey, victimKeyId } = stage;
  const provider = providerOf(app);
  const answers: string[] = [];
  const message = { message: "pay the operator" };
  const tries: readonly (() => Promise<{ readonly text: string } | undefined>)[] = [
    () => operator.get("/api/auth/session"),
    () => operator.get("/api/auth/sessions"),
    () => operator.get("/api/auth/passkeys"),
    () => operator.get("/api/auth/tokens"),
    () => operator.get("/api/audit"),
    () => operator.get("/api/keys"),
    () => operator.get(`/api/keys/${operatorKey.id}`),
    () => operator.post(`/api/keys/${operatorKey.id}/explain`, message),
    () => operator.post(`/api/keys/${operatorKey.id}/sign`, message),
    () => operator.request("PATCH", `/api/keys/${operatorKey.id}`, { body: { label: "Mine" } }),
    () => operator.post("/api/keys/generate", {}, { headers: { "idempotency-key": "once" } }),
    () => operator.post("/api/auth/passkey/registration/options"),
    () => operator.post("/api/auth/step-up/options", { action: "add_passkey" }),
    () => operator.get("/api/signing-requests"),
    () => operator.get(`/api/signing-requests/${stage.operatorRequest}`),
    () => operator.get("/requests"),
    () => operator.get(`/requests/${stage.operatorRequest}`),
    () => approve(operator, stage.operatorRequest),
    () => operator.get("/account"),
    () => operator.get("/keys"),
    () => exchange(provider, application, stage.operatorCode),
    () => refresh(provider, application, stage.operatorTokens.refresh_token),
    () => userinfo(provider, stage.operatorTokens.access_token),
    async () => ({ text: (await getCode(operator, application)).code }),
    () => signIn(operator),
  ];
  for (const attempt of tries) {
    const answer = await attempt().catch(() => undefined);
    answers.push(answer?.text ?? "");
  }
  const signed = await operator.post(`/api/keys/${victimKeyId}/sign`, message);
  assert.ok([401, 404, 503].includes(signed.status), `${signed.status} ${signed.text}`);
  assert.equal(signed.body?.signature, undefined);
  const own = await operator.post(`/api/keys/${operatorKey.id}/sign`, message);
  if (own.status === 200) assert.equal(own.body.address, operatorKey.address);
  const authorization = `Bearer ${stage.operatorProgram}`;
  await app.client("127.0.0.4").post(`/api/keys/${operatorKey.id}/sign`, message, {
    headers: { authorization },
  });
  return answers;
}

/** Appends the claims of each JWT in a text to it. */
function withClaims(text: string): string {
  const claims = [...text.matchAll(/eyJ[\w-]+\.(eyJ[\w-]+)\./g)].map(([, part]) =>
    new TextDecoder().decode(Uint8Array.fromBase64(part!, { alphabet: "base64url" }))
  );
  return [text, ...claims].join("\n");
}

function assertNothingOf(victims: readonly string[], seen: readonly string[]): void {
  const all = seen.map(withClaims).join("\n");
  for (const secret of victims) assert.ok(!all.includes(secret), `An answer holds ${secret}`);
}

// The operator has an account, and makes the database answer queries with rows of the victim, whose MACs are valid.
describe("a database that answers with the victim's rows", () => {
  /** Kinds whose rows belong to no account. */
  const common: readonly AuthorityKind[] = ["client", "token_key"];
  for (const kind of KINDS.filter((name) => !common.includes(name))) {
    test(`of ${kind}: the operator gets an error or nothing of the victim`, async () => {
      const stage = await setStage();
      const rows = stage.rows.get(kind)!;
      const before = stage.operator.seen.length;
      const lies: readonly (readonly Row[])[] = [...rows.map((row) => [row]), rows, rows.toReversed()];
      let lied = 0;
      for (const lie of lies) {
        stage.lying.lie = ({ act, table }: Statement) => {
          if (table !== kind || (act !== "select" && act !== "delete")) return Promise.resolve(undefined);
          lied++;
          return Promise.resolve(lie);
        };
        dropMemory(stage.app.db);
        await tryEverything(stage);
      }
      stage.lying.lie = undefined;
      assertNothingOf(stage.victims, stage.operator.seen.slice(before));
      // The victim's rows are still there.
      for (const id of ["account", "passkey", "ethereum_key", "session"] as const) {
        const left = (await rowsOf(stage.app, id)).map((row) => row["id"]);
        for (const row of stage.rows.get(id)!) assert.ok(left.includes(row["id"]), id);
      }
      const queried: readonly AuthorityKind[] = [
        "account",
        "session",
        "passkey",
        "challenge",
        "ethereum_key",
        "authorization_grant",
        "refresh_token",
        "consent",
        "account_device",
        "idempotent_answer",
        "api_token",
        "policy_use",
      ];
      if (queried.includes(kind)) assert.ok(rows.length > 0 && lied > 0, "The database lied");
    });
  }
});

test("a view that has one id for WHERE and another for SELECT gives the operator no access to the victim", async () => {
  const db = await openTestDatabase();
  await using app = await createTestApp({ db });
  const [victim, operator] = [app.client("127.0.0.1"), app.client("127.0.0.2")];
  const victims = (await signUp(victim, "victim@example.com")).body;
  const operators = (await signUp(operator, "op@example.com")).body;
  // The service stops when it notices a schema change. Here it cannot notice the change.
  await sql`alter table account rename to people`.execute(db);
  await sql.raw(
    `create view account as select
      case abs(random() % 2) when 0 then '${operators.account.id}' else '${victims.account.id}' end as id,
      email, name, created_at, disabled_at, revision, language, mac from people where id = '${victims.account.id}'`,
  ).execute(db);
  const lies = async () => {
    const { rows } = await sql<{ id: string }>`
      select id, email from account where id = ${operators.account.id}`.execute(db);
    return rows.some(({ id }) => id === victims.account.id);
  };
  let lied = 0;
  for (let count = 0; count < 60; count++) {
    if (await lies()) lied++;
    const session = await operator.get("/api/auth/session");
    assert.notEqual(session.body.account?.id, victims.account.id);
    const signed = await operator.post(`/api/keys/${victims.key.id}/sign`, { message: "pay the operator" });
    assert.ok([401, 404, 503].includes(signed.status), signed.text);
  }
  assert.ok(lied > 0, "The view lied");
  await closeDatabase(db);
});

/** Edits rows of challenges without the index of their primary key, which keeps its entries. */
function editBehindKey(path: string, schema: string, rootpage: number, statement: string): void {
  const [table, index] = ["challenge", "sqlite_autoindex_challenge_1"];
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const keyless = schema.replace(/,\s*primary key \(kind, challenge\)/, "");
  assert.notEqual(keyless, schema);
  editSchema(
    path,
    `delete from sqlite_master where name = '${index}'`,
    `update sqlite_master set sql = ${quoted(keyless)} where name = '${table}'`,
  );
  editFile(path, statement);
  editSchema(
    path,
    `update sqlite_master set sql = ${quoted(schema)} where name = '${table}'`,
    `insert into sqlite_master (type, name, tbl_name, rootpage, sql)
      values ('index', '${index}', '${table}', ${rootpage}, null)`,
  );
}

test("an index that points from a used challenge to a new one does not let a replayed assertion sign in", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "a.db");
    let db = await openDatabase(await openSqlite(path));
    let app = await createTestApp({ db });
    const victim = app.client("127.0.0.1");
    await signUp(victim, "victim@example.com");
    const begun = (await victim.post("/api/auth/passkey/authentication/options", {})).body;
    const seen = await victim.authenticator.authenticate(begun, { origin: ORIGIN });
    assert.equal((await victim.post("/api/auth/passkey/authentication", { response: seen })).status, 200);
    const operator = app.client("127.0.0.2");
    const fresh = (await operator.post("/api/auth/passkey/authentication/options", {})).body.challenge;
    const { rows: [key] } = await sql<{ rootpage: number }>`
      select rootpage from sqlite_schema where name = 'sqlite_autoindex_challenge_1'`.execute(db);
    const { rows: [table] } = await sql<{ sql: string }>`
      select sql from sqlite_schema where name = 'challenge'`.execute(db);
    await closeDatabase(db);

    editFile(
      path,
      `update challenge set challenge = '${begun.challenge}' where challenge = '${fresh}'`,
      // The counter is not covered by the MAC, and many authenticators have none.
      "update passkey set sign_count = 0",
    );
    editBehindKey(
      path,
      table!.sql,
      key!.rootpage,
      `update challenge set challenge = '${fresh}' where challenge = '${begun.challenge}'`,
    );
    db = await openDatabase(await openSqlite(path));
    app = await createTestApp({ db });
    const { rows } = await sql<{ bound_to: string; mac: Uint8Array }>`
      select bound_to, mac from challenge where kind = 'authentication' and challenge = ${begun.challenge}`
      .execute(db);
    assert.equal(rows.length, 1, "The index lies");
    const replayer = app.client("127.0.0.2");
    for (const [name, value] of operator.cookies) replayer.cookies.set(name, value);
    const answer = await replayer.post("/api/auth/passkey/authentication", { response: seen });
    assert.ok([401, 503].includes(answer.status), answer.text);
    assert.equal((await replayer.get("/api/auth/session")).body.account ?? null, null);
    await closeDatabase(db);
  });
});
