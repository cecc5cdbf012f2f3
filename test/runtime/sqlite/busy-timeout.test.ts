import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { CompiledQuery, sql } from "kysely";
import type { Kysely } from "kysely";
import type { Engine } from "../../../src/db/engine.ts";
import { DatabaseError } from "../../../src/db/error.ts";
import { connect } from "../../../src/db/port.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { nodeConnection } from "../../../src/runtime/sqlite/deno.ts";
import { createSqliteEngine } from "../../../src/runtime/sqlite/engine.ts";
import { isBusy } from "../../../src/runtime/sqlite/error.ts";
import { openFailing, sqliteError } from "../../support/failing-engine.ts";
import { inFolder } from "../../support/folder.ts";

type Numbers = Kysely<{ number: { value: number } }>;

/** Opens the server's engine over `node:sqlite`, which both runtimes have, with a short time limit. */
function openWithShortTimeout(path: string): Engine {
  const raw = new DatabaseSync(path);
  raw.prepare("pragma busy_timeout = 0").all();
  return createSqliteEngine(nodeConnection(raw), { access: "write", busyTimeout: 50 });
}

/** Runs the job while another connection has the database's write lock, until `unlock()`. */
async function withLocked(
  open: (path: string) => Engine | Promise<Engine>,
  job: (db: Numbers, unlock: () => void) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "a.db");
    const first: Numbers = connect(await openSqlite(path));
    await sql`create table number (value integer not null) strict`.execute(first);
    const db: Numbers = connect(await open(path));
    const holder = new DatabaseSync(path);
    holder.prepare("begin immediate").all();
    await job(db, () => void holder.prepare("commit").all());
    holder.close();
    await db.destroy();
    await first.destroy();
  });
}

function isRefusedAsBusy(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "busy";
}

async function add(db: Numbers, value: number): Promise<void> {
  await db.insertInto("number").values({ value }).execute();
}

async function values(db: Numbers): Promise<number[]> {
  return (await db.selectFrom("number").select("value").orderBy("value").execute()).map(({ value }) => value);
}

describe("an engine while another connection has the write lock", () => {
  test("runs reads at once, and then writes in the order of the calls", async () => {
    await withLocked(openSqlite, async (db, unlock) => {
      const done: string[] = [];
      const writes = [
        add(db, 1).then(() => done.push("statement")),
        transaction(db, (tx) => add(tx, 2)).then(() => done.push("transaction")),
        db.deleteFrom("number").where("value", "=", 1).returningAll().execute()
          .then((rows) => done.push(`consumed ${rows.length}`)),
      ];
      for (let round = 0; round < 3; round++) {
        // Lets pauses pass, so that the writes try again.
        await new Promise((resolve) => setTimeout(resolve, 10));
        assert.deepEqual(await values(db), []);
        done.push("read");
      }
      unlock();
      await Promise.all(writes);
      assert.deepEqual(done, ["read", "read", "read", "statement", "transaction", "consumed 1"]);
      assert.deepEqual(await values(db), [2]);
    });
  });

  test("runs each write once, however many are waiting", async () => {
    await withLocked(openSqlite, async (db, unlock) => {
      const numbers = Array.from({ length: 200 }, (_, index) => index);
      const writes = numbers.map((value) =>
        value % 2 === 0 ? add(db, value) : transaction(db, (tx) => add(tx, value))
      );
      assert.deepEqual(await values(db), []);
      unlock();
      await Promise.all(writes);
      assert.deepEqual(await values(db), numbers);
    });
  });

  test("rejects a write as busy after the time limit, the first or a later one, and runs the next", async () => {
    await withLocked(openWithShortTimeout, async (db, unlock) => {
      const writes = [
        transaction(db, (tx) => add(tx, 1)),
        add(db, 2),
        transaction(db, (tx) => add(tx, 3)),
      ];
      const refusals = await Promise.allSettled(writes);
      for (const refusal of refusals) {
        assert.ok(isRefusedAsBusy((refusal as PromiseRejectedResult).reason), JSON.stringify(refusal));
      }
      assert.deepEqual(await values(db), []);
      unlock();
      await transaction(db, (tx) => add(tx, 4));
      await add(db, 5);
      assert.deepEqual(await values(db), [4, 5]);
    });
  });

  test("rejects at once with an error that is not about the lock, also after waiting", async () => {
    await withLocked(openSqlite, async (db, unlock) => {
      await assert.rejects(sql`select nonsense`.execute(db), /nonsense/);
      const waiting = sql`insert into number (value) values (${"text"})`.execute(db);
      assert.deepEqual(await values(db), []);
      unlock();
      await assert.rejects(waiting, /cannot store TEXT/);
      await add(db, 1);
      assert.deepEqual(await values(db), [1]);
    });
  });
});

test("an engine rejects at once for a taken lock inside a transaction, which must not be interleaved", async () => {
  let attempts = 0;
  const engine = openFailing(({ sql }) => {
    if (!sql.startsWith("select")) return undefined;
    attempts++;
    return sqliteError(5);
  }, { busyTimeout: 50 });
  const refused = engine.transaction((run) => run(CompiledQuery.raw("select 1")));
  await assert.rejects(refused, isRefusedAsBusy);
  assert.equal(attempts, 1);
  await engine.close();
});

describe("isBusy()", () => {
  test("is true for either driver's error for a taken lock", async () => {
    await inFolder((folder) => {
      const path = join(folder, "a.db");
      const [one, other] = [new DatabaseSync(path), new DatabaseSync(path)];
      one.prepare("begin immediate").all();
      other.prepare("pragma busy_timeout = 0").all();
      assert.throws(() => other.prepare("begin immediate").all(), isBusy);
      one.close();
      other.close();
      return Promise.resolve();
    });
    for (const name of ["errno", "errcode"]) {
      for (const code of [5, 261, 517, 773]) {
        assert.ok(isBusy(Object.assign(new Error("database is locked"), { [name]: code })));
      }
    }
  });

  test("is false for any other failure, including a lock within the connection", () => {
    for (const errcode of [1, 6, 10, 13, 1034, 2067]) {
      assert.ok(!isBusy(Object.assign(new Error("database is locked"), { errcode })));
    }
    assert.ok(!isBusy(new Error("database is locked")));
    assert.ok(!isBusy(undefined));
  });
});
