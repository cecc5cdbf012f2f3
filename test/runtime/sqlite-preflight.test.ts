import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { connect } from "../../src/db/port.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { IN_MEMORY, openSqlite, readSealKeyIds } from "../../src/runtime/sqlite/open.ts";
import { inFolder } from "../support/folder.ts";
import { storedSlot } from "../support/seal-slots.ts";
import { runProgram, runtimes } from "../support/program.ts";

const SEAL = "5ea1".repeat(16);

const LOCK_EVERYTHING = fileURLToPath(new URL("./program/lock-everything.ts", import.meta.url));
const DIE_WRITING = new URL("./program/die-writing.ts", import.meta.url);

/** Returns a hash of each file in a folder that contains data. An index and an empty log contain none. */
function contents(folder: string): Record<string, string> {
  const holdsData = (name: string) =>
    !name.endsWith("-shm") && !(name.endsWith("-wal") && readFileSync(join(folder, name)).length === 0);
  return Object.fromEntries(
    readdirSync(folder).filter(holdsData).sort().map((name) => {
      return [name, createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")];
    }),
  );
}

async function lookUnchanged(folder: string): Promise<unknown> {
  const before = contents(folder);
  const look = await readSealKeyIds(join(folder, "a.db"));
  assert.deepEqual(contents(folder), before);
  return look;
}

async function withDatabase(folder: string, job: (db: Db) => Promise<unknown>): Promise<void> {
  const db = await openDatabase(await openSqlite(join(folder, "a.db")));
  await job(db);
  await closeDatabase(db);
}

async function insertSeed(db: Db): Promise<void> {
  await db.insertInto("seal_slot").values(storedSlot(SEAL)).execute();
}

describe("readSealKeyIds()", () => {
  test("returns undefined when there is no file, and creates none", async () => {
    assert.equal(await inFolder(lookUnchanged), "absent");
    assert.equal(await readSealKeyIds(IN_MEMORY), "absent");
  });

  test("returns undefined for an empty file", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "a.db"), "");
      assert.equal(await lookUnchanged(folder), "absent");
    });
  });

  test("returns undefined for a database with a schema and without a seed", async () => {
    await inFolder(async (folder) => {
      await withDatabase(folder, () => Promise.resolve());
      assert.equal(await lookUnchanged(folder), "absent");
    });
  });

  test("returns undefined when only the migration lock was created", async () => {
    await inFolder(async (folder) => {
      const db = connect<unknown>(await openSqlite(join(folder, "a.db")));
      await sql`create table kysely_migration (name text)`.execute(db);
      await db.destroy();
      assert.equal(await lookUnchanged(folder), "absent");
    });
  });

  test("waits for another process that locks readers out for a moment, like a recovery", async () => {
    await inFolder(async (folder) => {
      await withDatabase(folder, insertSeed);
      const [command, ...values] = Object.values(runtimes())[0]!;
      const child = spawn(command!, [...values, LOCK_EVERYTHING, join(folder, "a.db")]);
      const closed = once(child, "close");
      assert.equal(String(await once(child.stdout, "data")), "locked\n");
      assert.deepEqual(await readSealKeyIds(join(folder, "a.db")), { sealKeyIds: [SEAL] });
      await closed;
    });
  });

  test("reads the id in a closed database", async () => {
    await inFolder(async (folder) => {
      await withDatabase(folder, insertSeed);
      assert.deepEqual(await lookUnchanged(folder), { sealKeyIds: [SEAL] });
    });
  });

  test("reads the id while the database is open and written to", async () => {
    await inFolder(async (folder) => {
      await withDatabase(folder, async (db) => {
        await insertSeed(db);
        await transaction(db, async (tx) => {
          await tx.deleteFrom("seal_slot").execute();
          assert.deepEqual(await lookUnchanged(folder), { sealKeyIds: [SEAL] });
        });
      });
    });
  });

  for (const [name, command] of Object.entries(runtimes())) {
    test(`reads the id in the log of a process killed on ${name}`, { timeout: 60_000 }, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "a.db");
        const ended = await runProgram(command, DIE_WRITING, path);
        assert.equal(ended.signal, "SIGKILL", ended.stderr);
        assert.deepEqual(await lookUnchanged(folder), { sealKeyIds: ["de".repeat(32)] });
        // As after restoring two of the three files.
        rmSync(`${path}-shm`);
        const before = contents(folder);
        assert.deepEqual(await readSealKeyIds(path), { sealKeyIds: ["de".repeat(32)] });
        rmSync(`${path}-shm`, { force: true });
        assert.deepEqual(contents(folder), before);
        await withDatabase(folder, async (db) => {
          assert.equal((await db.selectFrom("seal_slot").selectAll().execute()).length, 1);
        });
      });
    });
  }

  test("reports a file that is not a database as foreign", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "a.db"), "This is a letter, not a database. ".repeat(200));
      assert.equal(await lookUnchanged(folder), "foreign");
    });
  });

  test("reports another program's database as foreign", async () => {
    await inFolder(async (folder) => {
      const db = connect<unknown>(await openSqlite(join(folder, "a.db")));
      await sql`create table music (title text)`.execute(db);
      await db.destroy();
      assert.equal(await lookUnchanged(folder), "foreign");
    });
  });

  test("reports a database with accounts and without a seed as foreign", async () => {
    await inFolder(async (folder) => {
      const mac = new Uint8Array(32);
      await withDatabase(
        folder,
        (db) =>
          db.insertInto("account").values({
            id: "a",
            email: null,
            name: null,
            language: "en",
            created_at: 0,
            mac,
          }).execute(),
      );
      assert.equal(await lookUnchanged(folder), "foreign");
    });
  });

  test("reports a log without its database as foreign", async () => {
    await inFolder(async (folder) => {
      await withDatabase(folder, async (db) => {
        await insertSeed(db);
        const path = join(folder, "a.db");
        copyFileSync(`${path}-wal`, join(folder, "b.db-wal"));
        assert.ok(!existsSync(join(folder, "b.db")));
        assert.equal(await readSealKeyIds(join(folder, "b.db")), "foreign");
      });
    });
  });
});
