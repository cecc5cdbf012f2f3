import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { databaseReasons } from "../../src/commands/process/running.ts";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { migrate } from "../../src/db/migrate.ts";
import { connect } from "../../src/db/port.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { inFolder } from "../support/folder.ts";
import { addMigration } from "../support/later-migration.ts";

/** Schema changes by an attacker who can write the file while the service runs. */
const CHANGES = {
  "a trigger": "create trigger keep after delete on session begin select 1; end",
  "a removed trigger": "drop trigger audit_event_no_delete",
  "a view in place of a table":
    "alter table session rename to hidden; create view session as select * from hidden",
  "an index": "create index more on session (account_id)",
  "a table": "create table more (x)",
  "an edit of the schema itself":
    "pragma writable_schema = on; update sqlite_schema set sql = sql; pragma schema_version = 999",
} as const;

function change(path: string, statements: string): void {
  const other = new DatabaseSync(path);
  other.enableDefensive(false);
  other.exec(statements);
  other.close();
}

async function addAccount(db: Db, id: string): Promise<void> {
  const row = { id, email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await db.insertInto("account").values(row).execute();
}

function isSchemaChanged(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "schema_changed";
}

describe("a schema that is changed while the service runs", () => {
  for (const [what, statements] of Object.entries(CHANGES)) {
    test(`${what}: nothing is signed or written from the next transaction on`, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "a.db");
        const db = await openDatabase(await openSqlite(path));
        await using app = await createTestApp({ db });
        const client = app.client();
        const { body } = await signUp(client, "alice@example.com");
        const sign = () => client.post(`/api/keys/${body.key.id}/sign`, { message: "hello" });
        assert.equal((await sign()).status, 200);
        const { n } = await db.selectFrom("audit_event").select(({ fn }) => fn.countAll().as("n"))
          .executeTakeFirstOrThrow();

        change(path, statements);
        const refused = await sign();
        assert.equal(refused.status, 503, refused.text);
        assert.equal(refused.body.code, "unavailable");
        assert.match(refused.body.detail, /schema has changed/);
        assert.deepEqual(await databaseReasons(db), [
          "Cannot write to database: its schema has changed",
        ]);
        await assert.rejects(addAccount(db, "acct_1"), isSchemaChanged);
        await assert.rejects(transaction(db, (tx) => addAccount(tx, "acct_2")), isSchemaChanged);
        const after = await db.selectFrom("audit_event").select(({ fn }) => fn.countAll().as("n"))
          .executeTakeFirstOrThrow();
        assert.equal(after.n, n);
        await closeDatabase(db);
      });
    });
  }

  test("still blocks writes after it is reverted", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const db = await openDatabase(await openSqlite(path));
      change(path, "create table more (x)");
      await assert.rejects(addAccount(db, "acct_1"), isSchemaChanged);
      change(path, "drop table more; pragma writable_schema = on; pragma schema_version = 1");
      await assert.rejects(addAccount(db, "acct_1"), isSchemaChanged);
      await closeDatabase(db);
    });
  });

  test("is not reported if another process of this version starts, or this one migrates", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const early = connect<Tables>(await openSqlite(path));
      await migrate(early);
      await closeDatabase(early);
      using _ = addMigration();
      const db = await openDatabase(await openSqlite(path));
      await addAccount(db, "acct_1");
      await closeDatabase(await openDatabase(await openSqlite(path)));
      await addAccount(db, "acct_2");
      await migrate(db);
      await addAccount(db, "acct_3");
      await closeDatabase(db);
    });
  });

  test("is reported to a process of an older version that still runs", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const older = connect<Tables>(await openSqlite(path));
      await migrate(older);
      const engine = await openSqlite(path);
      await engine.watchSchema();
      const db = connect<Tables>(engine);
      await addAccount(db, "acct_1");
      using _ = addMigration();
      await migrate(older);
      await assert.rejects(addAccount(db, "acct_2"), isSchemaChanged);
      await closeDatabase(older);
      await closeDatabase(db);
    });
  });
});
