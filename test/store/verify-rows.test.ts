import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { closeDatabase, connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { createKey } from "../../src/keys/key.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import { verifyRows } from "../../src/store/verify-rows.ts";
import { inFolder } from "../support/folder.ts";
import { editBehindIndex, editBehindTypes, editFile, preferIndex } from "../support/hostile-file.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import { createTestVault } from "../support/vault.ts";

describe("verifyRows()", () => {
  test("counts every kind of row that grants authority, over more than one page", async () => {
    const accounts = Array.from({ length: 2300 }, (_, index) => `acct_${index}`);
    await using store = await createKeyStore(accounts);
    const { db, maker, random } = store;
    await transaction(
      db,
      (tx) => createKey(tx, maker, { accountId: "acct_7", label: undefined, now: NOW, random }),
    );
    const counts = await verifyRows(db, maker.vault);
    assert.deepEqual(counts.map(({ kind }) => kind), Object.keys(AUTHORITY));
    const found = Object.fromEntries(counts.map(({ kind, rows }) => [kind, rows]));
    assert.deepEqual([found["account"], found["ethereum_key"], found["session"]], [2300, 1, 0]);
    assert.ok(counts.every(({ forged }) => forged === 0));
  });

  test("finds each row that was edited, and every row with another seed", async () => {
    await using store = await createKeyStore(["acct_1", "acct_2", "acct_3"]);
    const { db, maker } = store;
    await db.updateTable("account").set({ email: "thief@example.com" }).where("id", "=", "acct_2").execute();
    const [account] = await verifyRows(db, maker.vault);
    assert.deepEqual(account, { kind: "account", rows: 3, forged: 1 });
    const [other] = await verifyRows(db, createTestVault(9));
    assert.deepEqual(other, { kind: "account", rows: 3, forged: 3 });
  });

  for (const rowid of ["-5", "-9223372036854775808", "0", "9223372036854775807"]) {
    test(`finds a row that was inserted at ${rowid}`, async () => {
      await using store = await createKeyStore(["acct_1"]);
      const { db, maker } = store;
      await sql`insert into account (rowid, id, email, name, language, created_at, mac)
        select ${sql.raw(rowid)}, 'acct_2', null, null, language, created_at, mac from account`.execute(db);
      const [account] = await verifyRows(db, maker.vault);
      assert.deepEqual(account, { kind: "account", rows: 2, forged: 1 });
    });
  }

  test("continues after a row with the lowest number, over more than one page", async () => {
    await using store = await createKeyStore(Array.from({ length: 1000 }, (_, index) => `acct_${index}`));
    const { db, maker } = store;
    await sql`update account set rowid = -9223372036854775808 where id = 'acct_7'`.execute(db);
    await sql`update account set rowid = 9223372036854775807 where id = 'acct_8'`.execute(db);
    assert.deepEqual((await verifyRows(db, maker.vault))[0], { kind: "account", rows: 1000, forged: 0 });
  });

  test("reports how many rows were read", async () => {
    await using store = await createKeyStore(Array.from({ length: 1500 }, (_, index) => `acct_${index}`));
    const heard: number[] = [];
    await verifyRows(store.db, store.maker.vault, (rows) => heard.push(rows));
    assert.deepEqual([heard[0], heard.at(-1)], [1000, 3000], "each account and its state");
  });

  test("finds a number that no runtime can represent", async () => {
    await using store = await createKeyStore(["acct_1", "acct_2"]);
    const { db, maker } = store;
    for (const number of ["9007199254740992", "-9223372036854775808"]) {
      await sql`update account set created_at = ${sql.raw(number)} where id = 'acct_2'`.execute(db);
      assert.deepEqual((await verifyRows(db, maker.vault))[0], { kind: "account", rows: 2, forged: 1 });
    }
  });

  test("finds such a number in a column without a value", async () => {
    await using store = await createKeyStore(["acct_1"]);
    const { db, maker, random } = store;
    await transaction(
      db,
      (tx) => createKey(tx, maker, { accountId: "acct_1", label: undefined, now: NOW, random }),
    );
    await sql`update ethereum_key set archived_at = 9007199254740992`.execute(db);
    const counts = await verifyRows(db, maker.vault);
    assert.equal(counts.find(({ kind }) => kind === "ethereum_key")?.forged, 1);
  });
});

describe("verifyRows() of an edited file", () => {
  /** Runs the job on a database file with one account that `edit` manipulated. */
  async function withEdited(edit: (path: string) => void, job: (db: Db) => Promise<void>): Promise<void> {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const made = await openDatabase(await openSqlite(path));
      const account = {
        id: "acct_1",
        email: "a@example.com",
        name: null,
        language: "en",
        created_at: NOW,
        email_proved_by: null,
        disabled_at: null,
        revision: null,
        updated_at: null,
      };
      const mac = createTestVault().mac("account", account);
      await made.insertInto("account").values({ ...account, mac }).execute();
      await closeDatabase(made);
      edit(path);
      const db = connectDatabase(await openSqlite(path));
      await job(db);
      await closeDatabase(db);
    });
  }

  for (const column of ["id", "email", "name", "created_at", "mac"]) {
    for (const value of ["x'0102'", "1.5", "null"]) {
      if (column === "name" && value === "null") continue;
      test(`finds ${column} set to ${value} against the table's types`, async () => {
        await withEdited(
          (path) => editBehindTypes(path, "account", `update account set ${column} = ${value}`),
          async (db) => {
            assert.equal((await verifyRows(db, createTestVault()))[0]?.forged, 1);
          },
        );
      });
    }
  }

  test("reads the table, not a covering index that still has the old values", async () => {
    await withEdited((path) => {
      editFile(path, "create index lie on account (id, email, name, created_at, mac)");
      preferIndex(path, "account", "lie");
      editBehindIndex(path, "lie", "update account set email = 'thief@example.com'");
    }, async (db) => {
      assert.equal((await verifyRows(db, createTestVault()))[0]?.forged, 1);
    });
  });
});
