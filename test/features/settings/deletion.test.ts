import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { SCHEMA } from "../../../src/db/dialect/postgres.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { readCode, registerPasskey, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { getTokens, providerOf, registerClient, userinfo } from "../../support/oauth.ts";
import { confirm, mailsTo } from "../../support/own-account.ts";
import { isOnPostgres } from "../../support/postgres.ts";

const EMAIL = "ada@example.com";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const ask = (client: Client, text = EMAIL): Promise<Answer> =>
  client.post("/api/auth/account/deletion", { confirm: text });

/** Creates a token that may sign with all keys. */
async function makeToken(client: Client): Promise<string> {
  const made = await client.post("/api/auth/tokens", { name: "CI", keys: "all", actions: ["read", "sign"] });
  assert.equal(made.status, 201, made.text);
  return made.body.text;
}

function signAs(app: TestApp, keyId: string, token: string): Promise<Answer> {
  const body = { format: "personal_sign", message: "hello" };
  const headers = { authorization: `Bearer ${token}` };
  return app.client().request("POST", `/api/keys/${keyId}/sign`, { body, headers });
}

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Returns the columns of every table except the log. */
async function columnsOf(db: Db): Promise<readonly Column[]> {
  const { rows } = await (isOnPostgres
    ? sql<Column>`select c.relname as "table", a.attname as "column"
        from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = to_regnamespace(${SCHEMA}) and c.relkind = 'r' and a.attnum > 0`
    : sql<Column>`select m.name as "table", c.name as "column"
        from sqlite_schema m, pragma_table_info(m.name) c
        where m.type = 'table' and m.name not like 'sqlite%'`).execute(db);
  return rows.filter(({ table }) => table !== "audit_event");
}

/** Returns every value of every row of every table except the log, as text. */
async function everything(db: Db): Promise<string> {
  const texts: string[] = [];
  for (const name of new Set((await columnsOf(db)).map(({ table }) => table))) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    for (const row of rows) {
      const values = Object.values(row).map((value) =>
        value instanceof Uint8Array ? value.toHex() : `${value}`
      );
      texts.push(`${name}: ${values.join(" ")}`);
    }
  }
  return texts.join("\n");
}

/** Counts the rows of an account in each table with an account column. */
async function rowsOf(db: Db, accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, column } of await columnsOf(db)) {
    if (!column.endsWith("account_id")) continue;
    const { rows: [row] } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} = ${accountId}`.execute(db);
    counts[`${table}.${column}`] = row!.count;
  }
  return counts;
}

describe("deleting an account", () => {
  test("needs its address and a fresh sign-in, signs out everywhere, and mails how to stop it", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    for (const text of ["", "ada", "eve@example.com", "ada@example.com.evil"]) {
      const refused = await ask(client, text);
      assert.deepEqual([refused.status, refused.body.errors[0].path], [400, "/confirm"], text);
    }
    app.now += 10 * MINUTE;
    assert.equal((await ask(client)).body.code, "fresh_session_required");
    await confirm(client, "delete_account");
    const answer = await ask(client, " Ada@Example.com ");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(Date.parse(answer.body.dueAt), app.now + 7 * DAY);
    assert.equal((await client.get("/api/auth/session")).body.session, null);
    const [mail] = await mailsTo(client, EMAIL);
    assert.equal(mail!.subject, "Your account will be deleted");
    for (const words of ["7 Feb 2026", "can never be moved again", "/sign-in"]) {
      assert.ok(mail!.text.includes(words), words);
    }
  });

  test("is stopped by a sign-in at the last moment, and the owner is notified", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await ask(client);
    app.now += 7 * DAY - 1;
    await app.maintain();
    assert.equal((await signIn(client)).status, 200);
    const subjects = (await mailsTo(client, EMAIL)).map(({ subject }) => subject);
    assert.ok(subjects.includes("Your account will not be deleted"), subjects.join());
    app.now += DAY;
    await app.maintain();
    assert.equal((await client.get("/api/auth/session")).body.account.email, EMAIL);
  });

  test("is stopped only by a sign-in, because no session is left for another use of a passkey", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const action = "export_account";
    const options = await client.post("/api/auth/step-up/options", { action });
    const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
    const held = app.client();
    for (const [name, value] of client.cookies) held.cookies.set(name, value);
    assert.equal((await ask(client)).status, 200);
    assert.equal((await held.post("/api/auth/step-up", { action, response })).status, 401);
    app.now += 7 * DAY;
    await app.maintain();
    assert.equal((await signIn(client)).body.code, "invalid_passkey");
  });

  test("lets programs sign until it happens, and leaves only rows of the log, which have no address", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    const { account, key } = (await signUp(client, EMAIL)).body;
    const { account: stays } = (await signUp(other, "eve@example.com")).body;
    await client.request("PATCH", "/api/auth/account", { body: { name: "Ada Lovelace" } });
    const device = app.client();
    device.cookies.set("service.session_token", client.cookies.get("service.session_token")!);
    assert.equal((await registerPasskey(device, "present")).status, 201);
    assert.equal(
      (await client.post("/api/keys/generate", {}, { headers: { "idempotency-key": "k" } })).status,
      201,
    );
    const token = await makeToken(client);
    const provider = providerOf(app);
    const tokens = await getTokens(provider, client, await registerClient(provider));
    const passkeys = (await client.get("/api/auth/passkeys")).body.passkeys;
    const added = passkeys.find(({ current }: { current: boolean }) => !current);
    assert.equal((await client.request("DELETE", `/api/auth/passkeys/${added.id}`)).status, 204);
    await client.request("PUT", `/api/keys/${key.id}/policy`, {
      body: { version: 1, messages: "ask", delayHours: 24 },
    });
    await client.post("/api/auth/account/email/code", { email: "ada@example.org" });
    const code = await readCode(client, "ada@example.org");
    await client.post("/api/auth/account/email", { email: "ada@example.org", code });
    const before = await rowsOf(app.db, account.id);
    assert.equal((await ask(client, "ada@example.org")).status, 200);
    for (const email of [EMAIL, "ada@example.org"]) {
      assert.equal((await mailsTo(client, email))[0]!.subject, "Your account will be deleted", email);
    }
    app.now += 6 * DAY;
    const keys =
      (await app.client().get("/api/keys", { headers: { authorization: `Bearer ${token}` } })).body.keys;
    assert.equal((await signAs(app, keys[1].id, token)).status, 200);
    app.now += DAY;
    await app.maintain();
    assert.equal((await signAs(app, keys[1].id, token)).status, 401);
    assert.equal((await userinfo(provider, tokens.access_token)).status, 401);
    assert.equal((await signIn(client)).body.code, "invalid_passkey");
    // Mails and codes are deleted when they expire.
    app.now += 2 * DAY;
    await app.maintain();
    const after = await rowsOf(app.db, account.id);
    assert.ok(Object.values(before).filter((count) => count > 0).length >= 8, JSON.stringify(before));
    assert.deepEqual(Object.entries(after).filter(([, count]) => count > 0), []);
    const left = await everything(app.db);
    const address = key.address.slice(2).toLowerCase();
    for (
      const trace of [account.id, EMAIL, "ada@example.org", "Ada Lovelace", key.id, address, passkeys[0].id]
    ) {
      assert.ok(!left.includes(trace), `${trace} is left`);
    }
    assert.ok(left.includes(stays.id), "other accounts stay");
    const log = await app.db.selectFrom("audit_event").selectAll().where("account_id", "=", account.id)
      .execute();
    assert.ok(log.some(({ event }) => event === "account_deleted"));
    const words = JSON.stringify(log.map(({ event, subject, detail }) => [event, subject, detail]));
    for (const trace of ["example", "Ada"]) assert.ok(!words.includes(trace), words);
    assert.equal((await signIn(other)).status, 200);
  });

  test("releases the address and the identity, and a new account with them has other keys", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { account, key } = (await signUp(client, EMAIL)).body;
    await ask(client);
    app.now += 7 * DAY;
    await app.maintain();
    const again = (await signUp(app.client(), EMAIL)).body;
    assert.notEqual(again.account.id, account.id);
    assert.notEqual(again.key.address, key.address);
  });

  test("concurrent with a signature either lets it be logged and returned, or refuses it", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { account, key } = (await signUp(client, EMAIL)).body;
    const token = await makeToken(client);
    await ask(client);
    app.now += 7 * DAY;
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => signAs(app, key.id, token))),
      app.maintain(),
    ]);
    const signed = answers.filter(({ status }) => status === 200).length;
    assert.ok(
      answers.every(({ status }) => [200, 401, 404].includes(status)),
      answers.map((a) => a.text).join(),
    );
    const log = await app.db.selectFrom("audit_event").select("event").where("account_id", "=", account.id)
      .orderBy("seq").execute();
    assert.equal(log.filter(({ event }) => event === "message_signed").length, signed);
    assert.equal(log.at(-1)!.event, "account_deleted");
    assert.notEqual((await signAs(app, key.id, token)).status, 200);
  });

  test("concurrent with a sign-in either keeps the whole account or deletes it", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { account } = (await signUp(client, EMAIL)).body;
    await ask(client);
    app.now += 7 * DAY;
    const [answer] = await Promise.all([signIn(client), app.maintain()]);
    await app.maintain();
    const counts = Object.values(await rowsOf(app.db, account.id)).reduce((sum, count) => sum + count, 0);
    assert.equal(answer.status === 200, counts > 0, `${answer.status} ${counts}`);
  });

  test("happens when the clock says so, unless it was stopped (what an operator gains by setting the clock)", async () => {
    for (const isStopped of [false, true]) {
      await using app = await createTestApp();
      const client = app.client();
      await signUp(client, EMAIL);
      await ask(client);
      app.now += MINUTE;
      if (isStopped) assert.equal((await signIn(client)).status, 200);
      app.ahead = 8 * DAY;
      await app.maintain();
      assert.equal((await signIn(client)).status, isStopped ? 200 : 401);
    }
  });

  test("does not happen by an edited row, and the account is refused while it is there", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await ask(client);
    const [row] = await app.db.selectFrom("account_deletion").selectAll().execute();
    await app.db.updateTable("account_deletion").set({ due_at: app.now }).execute();
    await app.maintain();
    assert.equal((await app.db.selectFrom("account").selectAll().execute()).length, 1);
    assertInconsistent(await signIn(client));
    dropMemory(app.db);
    await app.maintain();
    assertInconsistent(await signIn(client));
    await app.db.updateTable("account_deletion").set(row!).execute();
    assert.equal((await signIn(client)).status, 200);
    assert.deepEqual(await app.db.selectFrom("account_deletion").selectAll().execute(), []);
  });

  test("does not happen by a row that was restored after it was stopped", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    await ask(client);
    const [row] = await app.db.selectFrom("account_deletion").selectAll().execute();
    assert.equal((await signIn(client)).status, 200);
    await app.db.insertInto("account_deletion").values(row!).execute();
    app.now += 8 * DAY;
    await app.maintain();
    assert.equal((await signIn(client)).status, 200, "from memory");
    dropMemory(app.db);
    await app.maintain();
    assertInconsistent(await signIn(client));
    assert.equal((await app.db.selectFrom("account").selectAll().execute()).length, 1);
  });

  test("is not delayed or caused by a row that an attacker inserted", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    const { account } = (await signUp(other, "eve@example.com")).body;
    await ask(client);
    const [row] = await app.db.selectFrom("account_deletion").selectAll().execute();
    const forged = { ...row!, id: "deletion_forged", account_id: account.id, due_at: 1 };
    await app.db.insertInto("account_deletion").values(forged).execute();
    app.now += 7 * DAY;
    dropMemory(app.db);
    await app.maintain();
    const left = await app.db.selectFrom("account").select("id").execute();
    assert.deepEqual(left, [{ id: account.id }]);
    assert.equal((await signIn(other)).status, 200);
  });
});
