import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { closeDatabase, connectDatabase } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATION_NAMES } from "../../src/db/migrations/migrations.ts";
import { checkSchema } from "../../src/db/schema-check.ts";
import type { SchemaVerdict } from "../../src/db/schema-check.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite/open.ts";
import { openSqliteToRead } from "../../src/runtime/sqlite/read.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";
import { editFile, editSchema } from "../support/hostile-file.ts";
import { addMigration, LATER } from "../support/later-migration.ts";

function check(db: Db): Promise<SchemaVerdict> {
  return checkSchema(db, () => openSqlite(IN_MEMORY));
}

async function checkFile(path: string): Promise<SchemaVerdict> {
  const db = connectDatabase(openSqliteToRead(path));
  try {
    return await check(db);
  } finally {
    await closeDatabase(db);
  }
}

async function makeFile(path: string, names: readonly string[] = MIGRATION_NAMES): Promise<void> {
  const db = connectDatabase(await openSqlite(path));
  await migrate(db, names);
  await closeDatabase(db);
}

function shown({ faults }: SchemaVerdict): string[] {
  return faults.map(({ kind, type, name }) => `${kind} ${type} ${name}`).sort();
}

describe("checkSchema()", () => {
  test("creates no other database for one that has all migrations", async () => {
    const db = await openTestDatabase();
    const verdict = await checkSchema(db, () => Promise.reject(new Error("It was created")));
    assert.deepEqual(verdict.faults, []);
    await db.destroy();
  });

  test("finds no fault in the schema of the migrations", async () => {
    const db = await openTestDatabase();
    assert.deepEqual(await check(db), { applied: MIGRATION_NAMES, pending: [], unknown: [], faults: [] });
    await db.destroy();
  });

  test("finds no fault in an older version's schema, and names the pending migrations", async () => {
    using _ = addMigration();
    for (let count = 0; count < MIGRATION_NAMES.length; count++) {
      const names = MIGRATION_NAMES.slice(0, count);
      await inFolder(async (folder) => {
        await makeFile(join(folder, "a.db"), names);
        const verdict = await checkFile(join(folder, "a.db"));
        assert.deepEqual([verdict.applied, verdict.faults], [names, []]);
        assert.deepEqual(verdict.pending, MIGRATION_NAMES.slice(count));
      });
    }
  });

  test("does not compare a newer version's schema, and names the unknown migrations", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await makeFile(path);
      editFile(path, "insert into kysely_migration values ('9999_x', '')", "create table later (id text)");
      const { unknown, faults } = await checkFile(path);
      assert.deepEqual([unknown, faults], [["9999_x"], []]);
    });
  });

  const PUT_BACK = `create trigger put_back after delete on session begin
    insert into session select old.*; end`;
  const LIE = "create index lie on audit_event (seq, at, event, account_id, subject, detail, hash, mac)";
  const RENAMED = ["alter table account rename to hidden", "create view account as select * from hidden"];

  const EDITS: Readonly<Record<string, { readonly edit: readonly string[]; readonly faults: string[] }>> = {
    "a trigger that puts deleted sessions back": { edit: [PUT_BACK], faults: ["unknown trigger put_back"] },
    "the audit log without its own triggers": {
      edit: ["drop trigger audit_event_no_delete", "drop trigger audit_event_no_update"],
      faults: ["missing trigger audit_event_no_delete", "missing trigger audit_event_no_update"],
    },
    "an audit log's trigger that does nothing any more": {
      edit: [
        "drop trigger audit_event_no_delete",
        "create trigger audit_event_no_delete before delete on audit_event begin select 1; end",
      ],
      faults: ["altered trigger audit_event_no_delete"],
    },
    "a trigger that drops every entry of the audit log": {
      edit: ["create trigger mute before insert on audit_event begin select raise(ignore); end"],
      faults: ["unknown trigger mute"],
    },
    "a trigger with the name of a table": {
      edit: ["create trigger account after insert on session begin select 1; end"],
      faults: ["unknown trigger account"],
    },
    "an index that could answer in a table's place": { edit: [LIE], faults: ["unknown index lie"] },
    "no index where there should be one": {
      edit: ["drop index session_account_id"],
      faults: ["missing index session_account_id"],
    },
    "an index over other columns": {
      edit: [
        "drop index session_account_id",
        "create index session_account_id on session (passkey_id)",
      ],
      faults: ["altered index session_account_id"],
    },
    "a table that no migration creates": {
      edit: ["create table notes (text text)"],
      faults: ["unknown table notes"],
    },
    "statistics, which decide what is read": {
      // One of the runtimes makes a second table of them.
      edit: ["analyze", "drop table if exists sqlite_stat4"],
      faults: ["unknown table sqlite_stat1"],
    },
    "a column more": {
      edit: ["alter table session add column note text"],
      faults: ["altered table session"],
    },
  };
  for (const [title, { edit, faults }] of Object.entries(EDITS)) {
    test(`finds ${title}`, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "a.db");
        await makeFile(path);
        editFile(path, ...edit);
        assert.deepEqual(shown(await checkFile(path)), faults);
      });
    });
  }

  test("finds a view that replaces a table, and the renamed table", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await makeFile(path);
      editFile(path, ...RENAMED);
      const found = shown(await checkFile(path));
      for (const fault of ["missing table account", "unknown table hidden", "unknown view account"]) {
        assert.ok(found.includes(fault), `${fault}: ${found.join()}`);
      }
    });
  });

  test("finds constraints removed from a table through the schema table", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await makeFile(path);
      const edit = "update sqlite_master set sql = replace(sql, ') strict', ')') where name = 'session'";
      editSchema(path, edit);
      assert.deepEqual(shown(await checkFile(path)), ["altered table session"]);
    });
  });

  test("finds tables of later migrations than the recorded ones", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      using _ = addMigration();
      await makeFile(path);
      editFile(path, `delete from kysely_migration where name = '${LATER}'`);
      assert.deepEqual(shown(await checkFile(path)), ["unknown table later"]);
    });
  });

  test("does not query a view for the migrations", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await makeFile(path);
      editFile(
        path,
        "alter table kysely_migration rename to hidden",
        "create view kysely_migration as with recursive n (name) as (select '0001_init' union all select name from n)" +
          " select name, '' as timestamp from n",
      );
      const { applied, faults } = await checkFile(path);
      assert.deepEqual(applied, []);
      assert.ok(faults.some(({ type, name }) => type === "view" && name === "kysely_migration"));
    });
  });

  test("finds a migration missing before another", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      using _ = addMigration();
      await makeFile(path);
      editFile(path, "delete from kysely_migration where name = '0001_init'");
      assert.deepEqual(shown(await checkFile(path)), ["missing migration 0001_init"]);
    });
  });

  test("finds no fault while another process is creating its tables", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await makeFile(path, []);
      editFile(path, "drop table kysely_migration_lock");
      assert.deepEqual((await checkFile(path)).faults, []);
      editFile(path, "drop table kysely_migration");
      assert.deepEqual((await checkFile(path)).faults, []);
    });
  });
});
