import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CompiledQuery, Kysely } from "kysely";
import { runCompiled } from "../../src/db/direct.ts";
import type { Db } from "../../src/db/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite.ts";
import { createSnapshot } from "../../src/runtime/sqlite-snapshot.ts";
import type { Snapshot } from "../../src/runtime/sqlite-snapshot.ts";
import { inFolder } from "../support/folder.ts";

/** A snapshot over a connection that only notes what it was told, and what waits for the microtasks to end. */
function notedSnapshot(): { snapshot: Snapshot; said: string[]; waiting: (() => void)[]; rollBack(): void } {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  let inTransaction = false;
  const snapshot = createSnapshot({
    inTransaction: () => inTransaction,
    run: (sql) => {
      said.push(sql);
      inTransaction = sql === "begin";
      return [];
    },
    afterMicrotasks: (callback) => void waiting.push(callback),
  });
  return { snapshot, said, waiting, rollBack: () => inTransaction = false };
}

describe("createSnapshot()", () => {
  test("is entered once for reads that follow each other, and left when the microtasks have run", () => {
    const { snapshot, said, waiting } = notedSnapshot();
    snapshot.enter();
    snapshot.enter();
    assert.deepEqual(said, ["begin"]);
    assert.equal(waiting.length, 1);
    waiting[0]!();
    assert.deepEqual(said, ["begin", "commit"]);
    snapshot.enter();
    assert.deepEqual(said, ["begin", "commit", "begin"]);
  });

  test("is left once, and not where none was entered or SQLite left it by itself", () => {
    const { snapshot, said, waiting, rollBack } = notedSnapshot();
    snapshot.leave();
    assert.deepEqual(said, []);
    snapshot.enter();
    snapshot.leave();
    waiting[0]!();
    assert.deepEqual(said, ["begin", "commit"]);
    snapshot.enter();
    rollBack();
    snapshot.leave();
    assert.deepEqual(said, ["begin", "commit", "begin"]);
  });
});

const COUNT = CompiledQuery.raw("select count(*) as count from thing");
const INSERT = CompiledQuery.raw("insert into thing default values");

async function countThings(db: Db): Promise<number> {
  const [row] = await runCompiled(db, COUNT) as { count: number }[];
  return row!.count;
}

/** Two handles on one file, each with a connection of its own, as two processes have. */
async function withTwo(job: (one: Db, other: Db) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const open = async (): Promise<Db> =>
      new Kysely({ dialect: await openSqlite(join(folder, "a.db")) }) as unknown as Db;
    const [one, other] = [await open(), await open()];
    await runCompiled(one, CompiledQuery.raw("create table thing (id integer primary key) strict"));
    await job(one, other);
    await one.destroy();
    await other.destroy();
  });
}

describe("openSqlite() reads outside of transactions", () => {
  test("see what another process committed before the event that they follow", async () => {
    await withTwo(async (one, other) => {
      for (let before = 0; before < 20; before++) {
        assert.equal(await countThings(one), before);
        await new Promise<void>((resolve) => setImmediate(resolve));
        await runCompiled(other, INSERT);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    });
  });

  test("hold up no writing that follows at once, in a transaction or not", async () => {
    await withTwo(async (one, other) => {
      assert.equal(await countThings(one), 0);
      await runCompiled(one, INSERT);
      assert.equal(await countThings(other), 1, "committed when its promise fulfils");
      assert.equal(await countThings(one), 1);
      await one.transaction().execute((tx) => runCompiled(tx, INSERT));
      assert.equal(await countThings(one), 2);
      await one.executeQuery(INSERT);
      assert.equal(await countThings(one), 3);
      const seen = await Promise.all([countThings(one), one.executeQuery(INSERT), countThings(one)]);
      assert.equal(seen[0], 3);
      await new Promise<void>((resolve) => setImmediate(resolve));
      assert.equal(await countThings(other), 4);
    });
  });

  test("leave nothing open when the database is closed at once", async () => {
    await withTwo(async (one) => {
      assert.equal(await countThings(one), 0);
    });
  });
});
