import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { connect } from "../../src/db/port.ts";
import { formatExpectedSchema } from "../../src/db/schema-check.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";

const GOLDEN = new URL("./schema.golden.sql", import.meta.url);
const STORED = new URL("../../generated/schema.json", import.meta.url);
const MAC = new Uint8Array(32);
const ACCOUNT = {
  id: "acc_1",
  email: "a@example.com",
  name: null,
  language: "en",
  created_at: 0,
  email_proved_by: null,
  disabled_at: null,
  revision: null,
  updated_at: null,
  mac: MAC,
};

async function dumpSchema(db: Db): Promise<string> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null and name not like 'kysely%' order by type desc, name`
    .execute(db);
  return rows.map((row) => `${row.sql};\n`).join("\n");
}

describe("openDatabase()", () => {
  test("creates the schema of the golden file", async () => {
    const db = await openTestDatabase();
    // A change needs a new migration, because a released one is never edited.
    assert.equal(await dumpSchema(db), readFileSync(GOLDEN, "utf8"));
    await db.destroy();
  });

  test("creates the schema that generated/schema.json stores for the check at a start", async () => {
    const stored = readFileSync(STORED, "utf8");
    // `test/postgres/hostile-host.test.ts` compares the hash.
    const created = await formatExpectedSchema(() => openSqlite(":memory:"), JSON.parse(stored).postgres);
    assert.equal(stored, created, "Run npm run schema");
  });

  test("creates strict tables only, and one for each interface", async () => {
    const db = await openTestDatabase();
    const { rows } = await sql<{ name: string; strict: number }>`
      select name, strict from pragma_table_list where schema = 'main' and name not like 'sqlite%'
      and name not like 'kysely%' order by name`.execute(db);
    const names = [
      "account",
      "account_deletion",
      "account_device",
      "account_recovery",
      "admin_session",
      "administrator_address",
      "api_token",
      "application_session",
      "audit_checkpoint",
      "audit_event",
      "authorization_grant",
      "authorization_request",
      "challenge",
      "client",
      "code_use",
      "consent",
      "device_request",
      "dpop_proof",
      "email_change",
      "email_code",
      "ethereum_key",
      "group_member",
      "idempotent_answer",
      "identity",
      "identity_request",
      "invitation",
      "logout_notice",
      "logout_request",
      "outbox",
      "owner_state",
      "passkey",
      "policy_use",
      "push_delivery",
      "push_subscription",
      "pushed_request",
      "rate_limit",
      "recovery_code",
      "refresh_token",
      "release_challenge",
      "release_key",
      "removed_passkey",
      "seal_set",
      "seal_slot",
      "session",
      "sign_in_ticket",
      "sign_up_ticket",
      "signing_refusal",
      "signing_request",
      "token_key",
      "user_group",
      "webhook",
      "webhook_delivery",
      "webhook_position",
    ] as const satisfies (keyof Tables)[];
    assert.deepEqual(rows, names.map((name) => ({ name, strict: 1 })));
    await db.destroy();
  });

  test("enforces foreign keys afterwards", async () => {
    const db = await openTestDatabase();
    const key = {
      holder: "acc_1",
      idempotency_key: "k",
      account_id: "acc_1",
      request_hash: "",
      sealed: null,
    };
    const insert = db.insertInto("idempotent_answer").values({
      ...key,
      answer: "",
      created_at: 0,
      expires_at: 0,
      mac: MAC,
    });
    await assert.rejects(insert.execute(), /FOREIGN KEY/);
    await db.insertInto("account").values(ACCOUNT).execute();
    await insert.execute();
    await db.deleteFrom("account").execute();
    assert.deepEqual(await db.selectFrom("idempotent_answer").selectAll().execute(), []);
    await db.destroy();
  });

  test("keeps the rows of an existing file", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      let db = await openDatabase(await openSqlite(path));
      await db.insertInto("account").values(ACCOUNT).execute();
      await closeDatabase(db);
      db = await openDatabase(await openSqlite(path));
      assert.deepEqual(await db.selectFrom("account").selectAll().execute(), [ACCOUNT]);
      await closeDatabase(db);
      assert.deepEqual(readdirSync(folder), ["a.db"]);
    });
  });

  test("starts no migration, which checks all references, if none is pending", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await closeDatabase(await openDatabase(await openSqlite(path)));
      const engine = await openSqlite(path);
      let begun = 0;
      const counting = { ...engine, migration: (job) => (begun++, engine.migration(job)) } as typeof engine;
      await closeDatabase(await openDatabase(counting));
      assert.equal(begun, 0);
    });
  });

  const UNKNOWN = [
    ["a newer version", ["0002_later"], "newer_schema", /newer version \(migration 0002_later/],
    [
      "a build before the first release",
      ["0002_oauth", "0008_outbox_due", "0008_refresh_tokens", "0037_rejected_rows"],
      "unreleased_schema",
      /^Cannot open database: a build before the first release .* start with an empty DATA_DIR and an empty database/,
    ],
  ] as const;
  for (const [title, names, code, message] of UNKNOWN) {
    test(`refuses a database that ${title} wrote, and does not change it`, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "a.db");
        const db = await openDatabase(await openSqlite(path));
        for (const name of names) {
          await sql`insert into kysely_migration (name, timestamp) values (${name}, '2026-01-01T00:00:00.000Z')`
            .execute(db);
        }
        await closeDatabase(db);
        const hash = (): string => createHash("sha256").update(readFileSync(path)).digest("hex");
        const before = hash();
        await assert.rejects(openDatabase(await openSqlite(path)), (error) => {
          assert.ok(error instanceof DatabaseError);
          assert.equal(error.code, code);
          assert.match(error.message, message);
          return true;
        });
        assert.equal(hash(), before);
        assert.deepEqual(readdirSync(folder), ["a.db"]);
      });
    });
  }

  test("rolls back the schema when a statement of the migration fails", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const other = connect<unknown>(await openSqlite(path));
      await sql`create table session (id text)`.execute(other);
      await assert.rejects(openDatabase(await openSqlite(path)), /already exists/);
      const tables = await other.introspection.getTables();
      assert.deepEqual(tables.map(({ name }) => name), ["session"]);
      await other.destroy();
    });
  });

  test("refuses a migration that leaves dangling references", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const other = connect<unknown>(await openSqlite(path));
      await sql`pragma foreign_keys = off`.execute(other);
      await sql`create table parent (id text primary key)`.execute(other);
      await sql`create table child (id text references parent (id))`.execute(other);
      await sql`insert into child values ('orphan')`.execute(other);
      await assert.rejects(
        openDatabase(await openSqlite(path)),
        (error) => error instanceof DatabaseError && error.code === "foreign_key_violation",
      );
      const tables = await other.introspection.getTables();
      assert.deepEqual(tables.map(({ name }) => name), ["child", "parent"]);
      await other.destroy();
    });
  });
});
