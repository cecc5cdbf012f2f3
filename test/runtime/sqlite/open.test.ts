import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Generated, Kysely } from "kysely";
import { connect, engineOf, inTransaction } from "../../../src/db/port.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { yieldToEventLoop } from "../../../src/lib/cooperative.ts";
import { IN_MEMORY, openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { inFolder } from "../../support/folder.ts";

interface Thing {
  id: Generated<number>;
  name: string;
  flag: number | boolean;
  bytes: Uint8Array | null;
  at: number | bigint;
}

type Things = Kysely<{ thing: Thing; part: { thing_id: number } }>;

async function openThings(path: string = IN_MEMORY): Promise<Things> {
  const db: Things = connect(await openSqlite(path));
  await sql`create table if not exists thing (
    id integer primary key, name text not null unique, flag integer not null, bytes blob, at integer not null
  ) strict`.execute(db);
  await sql`create table if not exists part (thing_id integer not null references thing (id)) strict`.execute(
    db,
  );
  return db;
}

const ROW = { name: "one", flag: 0, bytes: null, at: 1 };

async function pragma(db: Things, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0] ?? {})[0];
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(() => assert.fail("nothing was thrown"), (error: unknown) => error);
}

describe("openSqlite() values", () => {
  test("returns stored values in plain objects", async () => {
    const db = await openThings();
    const bytes = Uint8Array.of(0, 255, 1);
    await db.insertInto("thing").values({ name: "Ü\u0001\u{1f511}", flag: true, bytes, at: 2 ** 53 - 1 })
      .execute();
    await db.insertInto("thing").values({ name: "", flag: false, bytes: null, at: -(2 ** 53) + 1 }).execute();
    assert.deepEqual(await db.selectFrom("thing").selectAll().orderBy("id").execute(), [
      { id: 1, name: "Ü\u0001\u{1f511}", flag: 1, bytes, at: 2 ** 53 - 1 },
      { id: 2, name: "", flag: 0, bytes: null, at: -(2 ** 53) + 1 },
    ]);
    await db.destroy();
  });

  test("distinguishes empty bytes from null, and stores only the view of a buffer", async () => {
    const db = await openThings();
    const part = Uint8Array.of(1, 2, 3, 4).subarray(1, 3);
    await db.insertInto("thing").values([{ ...ROW, bytes: new Uint8Array() }, {
      ...ROW,
      name: "two",
      bytes: part,
    }])
      .execute();
    const rows = await db.selectFrom("thing").select("bytes").orderBy("id").execute();
    assert.equal(rows[0]!.bytes?.length, 0);
    assert.deepEqual([...rows[1]!.bytes!], [2, 3]);
    assert.ok(rows[1]!.bytes instanceof Uint8Array);
    await db.destroy();
  });

  for (
    const [what, value] of Object.entries({
      "a Date": new Date(0),
      "an object": {},
      "an ArrayBuffer": new ArrayBuffer(1),
    })
  ) {
    test(`refuses to bind ${what} at any position`, async () => {
      const db = await openThings();
      await assert.rejects(sql`select ${value} as x`.execute(db), TypeError);
      await assert.rejects(sql`select ${1}, ${value} as x`.execute(db), TypeError);
      await db.destroy();
    });
  }

  test("refuses to bind text with a NUL character", async () => {
    const db = await openThings();
    await assert.rejects(db.insertInto("thing").values({ ...ROW, name: "a\0b" }).execute(), TypeError);
    await db.destroy();
  });

  test("refuses a value of the wrong type, because tables are strict", async () => {
    const db = await openThings();
    await assert.rejects(
      db.insertInto("thing").values({ ...ROW, at: "soon" as never }).execute(),
      /cannot store TEXT/,
    );
    await db.destroy();
  });
});

describe("openSqlite() statements", () => {
  test("returns the rows and the number of affected rows of insert, update and delete", async () => {
    const db = await openThings();
    const inserted = await db.insertInto("thing").values(ROW).returning(["id", "name"]).execute();
    assert.deepEqual(inserted, [{ id: 1, name: "one" }]);
    const { insertId } = await db.insertInto("thing").values({ ...ROW, name: "two" })
      .executeTakeFirstOrThrow();
    assert.equal(insertId, 2n);
    const updated = await db.updateTable("thing").set({ at: 9 }).where("at", "=", 1).executeTakeFirst();
    assert.equal(updated.numUpdatedRows, 2n);
    assert.deepEqual(await db.deleteFrom("thing").where("id", "=", 1).returning(["id", "at"]).execute(), [{
      id: 1,
      at: 9,
    }]);
    assert.equal((await db.deleteFrom("thing").where("id", "=", 1).executeTakeFirst()).numDeletedRows, 0n);
    assert.equal((await db.deleteFrom("thing").executeTakeFirst()).numDeletedRows, 1n);
    await db.destroy();
  });

  test("consumes a row once in many concurrent calls", async () => {
    const db = await openThings();
    await db.insertInto("thing").values(ROW).execute();
    const consumed = await Promise.all(
      Array.from(
        { length: 20 },
        () => db.deleteFrom("thing").where("name", "=", "one").returningAll().execute(),
      ),
    );
    assert.equal(consumed.flat().length, 1);
    await db.destroy();
  });

  test("does not stream, because one runtime loses errors there", async () => {
    const db = await openThings();
    await assert.rejects(async () => {
      for await (const row of db.selectFrom("thing").selectAll().stream()) assert.fail(row.name);
    }, /past the database port/);
    await db.destroy();
  });

  test("still works after more different statements than it caches", async () => {
    const db = await openThings();
    for (let index = 0; index < 600; index++) {
      const { rows } = await sql<{ x: number }>`select ${sql.lit(index)} as x`.execute(db);
      assert.deepEqual(rows, [{ x: index }]);
    }
    assert.deepEqual((await sql<{ x: number }>`select 0 as x`.execute(db)).rows, [{ x: 0 }]);
    await db.destroy();
  });

  test("sees a new column in a cached statement", async () => {
    const db = await openThings();
    await db.insertInto("thing").values(ROW).execute();
    assert.deepEqual(Object.keys((await db.selectFrom("thing").selectAll().execute())[0]!).length, 5);
    await sql`alter table thing add column extra text`.execute(db);
    assert.deepEqual(Object.keys((await db.selectFrom("thing").selectAll().execute())[0]!).length, 6);
    await db.destroy();
  });
});

describe("openSqlite() transactions", () => {
  test("rolls back a job that throws, and still works", async () => {
    const db = await openThings();
    const failed = transaction(db, async (tx) => {
      await tx.insertInto("thing").values(ROW).execute();
      throw new Error("No further");
    });
    await assert.rejects(failed, /No further/);
    assert.deepEqual(await db.selectFrom("thing").selectAll().execute(), []);
    await db.insertInto("thing").values(ROW).execute();
    await db.destroy();
  });

  test("commits a job that caught the failure of a statement", async () => {
    const db = await openThings();
    await transaction(db, async (tx) => {
      await tx.insertInto("thing").values(ROW).execute();
      await errorOf(tx.insertInto("thing").values(ROW).returningAll().execute());
      await tx.insertInto("thing").values({ ...ROW, name: "two" }).execute();
    });
    assert.equal((await db.selectFrom("thing").selectAll().execute()).length, 2);
    await db.destroy();
  });

  test("reports the first error when SQLite rolled back itself", async () => {
    const db = await openThings();
    const failed = transaction(db, async (tx) => {
      await sql`rollback`.execute(tx);
      throw new Error("What really happened");
    });
    await assert.rejects(failed, /What really happened/);
    await db.insertInto("thing").values(ROW).execute();
    await db.destroy();
  });

  test("runs concurrent transactions one after another", async () => {
    const db = await openThings();
    await db.insertInto("thing").values({ ...ROW, at: 0 }).execute();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        transaction(db, async (tx) => {
          const { at } = await tx.selectFrom("thing").select("at").executeTakeFirstOrThrow();
          await Promise.resolve();
          await tx.updateTable("thing").set({ at: Number(at) + 1 }).execute();
          if (index % 2 === 1) throw new Error("No");
        })),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 10);
    assert.equal((await db.selectFrom("thing").select("at").executeTakeFirstOrThrow()).at, 10);
    await db.destroy();
  });

  test("takes the write lock at its start", async () => {
    await inFolder(async (folder) => {
      const [one, other] = [await openThings(join(folder, "a.db")), await openThings(join(folder, "a.db"))];
      const done: string[] = [];
      let waiting: Promise<unknown> = Promise.resolve();
      await transaction(one, async (tx) => {
        await tx.selectFrom("thing").selectAll().execute();
        waiting = transaction(other, async (otherTx) => {
          const rows = await otherTx.selectFrom("thing").selectAll().execute();
          done.push(`the other began and saw ${rows.length}`);
        });
        assert.deepEqual(await other.selectFrom("thing").selectAll().execute(), []);
        done.push("the other read");
        await tx.insertInto("thing").values(ROW).execute();
      });
      await waiting;
      assert.deepEqual(done, ["the other read", "the other began and saw 1"]);
      await one.destroy();
      await other.destroy();
    });
  });

  test("reads what others committed before the current event", async () => {
    await inFolder(async (folder) => {
      const [one, other] = [await openThings(join(folder, "a.db")), await openThings(join(folder, "a.db"))];
      const count = async () => (await one.selectFrom("thing").selectAll().execute()).length;
      for (let written = 0; written < 3; written++) {
        assert.deepEqual(await Promise.all([count(), count(), count()]), [written, written, written]);
        await yieldToEventLoop();
        await other.insertInto("thing").values({ ...ROW, name: `of the other, ${written}` }).execute();
        await yieldToEventLoop();
      }
      assert.equal(await count(), 3);
      // A read blocks neither a later write nor a merge of the log.
      await one.insertInto("thing").values(ROW).execute();
      assert.equal(await count(), 4);
      await engineOf(one).checkpoint();
      assert.equal(await count(), 4);
      await one.destroy();
      await other.destroy();
    });
  });

  test("refuses edits of the schema table and turning off the log", async () => {
    await inFolder(async (folder) => {
      const db = await openThings(join(folder, "a.db"));
      await sql`pragma writable_schema = on`.execute(db);
      await assert.rejects(sql`update sqlite_schema set sql = sql`.execute(db), /may not be modified/);
      await sql`pragma journal_mode = off`.execute(db);
      assert.equal(await pragma(db, "journal_mode"), "wal");
      await db.destroy();
    });
  });

  test("checks the cells of each page that it reads", async () => {
    const db = await openThings();
    assert.equal(await pragma(db, "cell_size_check"), 1);
    await db.destroy();
  });

  test("replaces a table in a migration, with its rows and the references to it", async () => {
    const db = await openThings();
    await db.insertInto("thing").values([{ ...ROW, id: 7 }, { ...ROW, id: 8, name: "two" }]).execute();
    await db.insertInto("part").values([{ thing_id: 7 }, { thing_id: 8 }]).execute();
    await inTransaction(db, engineOf(db).migration, async (tx) => {
      await sql`create table thing_new (id integer primary key, name text not null) strict`.execute(tx);
      await sql`insert into thing_new select id, name from thing`.execute(tx);
      await sql`drop table thing`.execute(tx);
      await sql`alter table thing_new rename to thing`.execute(tx);
    });
    assert.deepEqual(await db.selectFrom("thing").selectAll().orderBy("id").execute(), [
      { id: 7, name: "one" },
      { id: 8, name: "two" },
    ]);
    await assert.rejects(db.deleteFrom("thing").where("id", "=", 7).execute(), /FOREIGN KEY/);
    await db.destroy();
  });

  test("rolls back a migration that fails", async () => {
    const db = connect<unknown>(await openSqlite(IN_MEMORY));
    const up = async (tx: Kysely<unknown>) => {
      await sql`create table half (id integer)`.execute(tx);
      throw new Error("Cannot go on");
    };
    await assert.rejects(inTransaction(db, engineOf(db).migration, up), /Cannot go on/);
    assert.deepEqual(await db.introspection.getTables(), []);
    await db.destroy();
  });
});

describe("openSqlite() files", () => {
  test("are private, also when an existing file was readable by others", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      let db = await openThings(path);
      for (const name of readdirSync(folder)) {
        assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
      }
      await db.destroy();
      chmodSync(path, 0o644);
      db = await openThings(path);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      await db.destroy();
    });
  });

  test("have a write-ahead log, an fsync in each commit and foreign keys", async () => {
    await inFolder(async (folder) => {
      const db = await openThings(join(folder, "a.db"));
      assert.equal(await pragma(db, "journal_mode"), "wal");
      assert.equal(await pragma(db, "synchronous"), 2, "FULL");
      assert.equal(await pragma(db, "foreign_keys"), 1);
      assert.equal(await pragma(db, "busy_timeout"), 0, "the driver waits: SQLite would stop the event loop");
      assert.equal(await pragma(db, "trusted_schema"), 0);
      assert.equal(await pragma(db, "temp_store"), 2, "MEMORY");
      await assert.rejects(db.insertInto("part").values({ thing_id: 7 }).execute(), /FOREIGN KEY/);
      await db.destroy();
    });
  });

  test("are merged into one file after closing", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      let db = await openThings(path);
      await db.insertInto("thing").values(ROW).execute();
      assert.ok(existsSync(`${path}-wal`));
      await db.destroy();
      assert.deepEqual(readdirSync(folder), ["a.db"]);
      db = await openThings(path);
      assert.equal((await db.selectFrom("thing").selectAll().execute()).length, 1);
      await db.destroy();
    });
  });

  test("may have any name that a file may have", async () => {
    await inFolder(async (folder) => {
      const db = await openThings(join(folder, "a b?mode=ro#%41é.db"));
      await db.insertInto("thing").values(ROW).execute();
      await db.destroy();
      assert.deepEqual(readdirSync(folder), ["a b?mode=ro#%41é.db"]);
    });
  });

  test("are not created in a missing folder", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(openSqlite(join(folder, "no", "a.db")), /ENOENT|No such file/);
    });
  });
});
