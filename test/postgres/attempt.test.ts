import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { watchOf } from "../../src/audit/log-head.ts";
import { appendAudit } from "../../src/audit/log.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { writeOne } from "../../src/db/attempt.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { attemptTransaction, transaction } from "../../src/db/transaction.ts";
import { findRow } from "../../src/store/read.ts";
import { consumeRow, insertRow, replaceRow } from "../../src/store/write.ts";
import { inSeveral } from "../support/lent-postgres.ts";
import { createTestVault } from "../support/vault.ts";

const LIMIT = { timeout: 60_000 };
const SCOPE = { subjects: ["acc_1"] };
const vault = createTestVault();

async function append(tx: Db): Promise<void> {
  const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
  await appendAudit(tx, vault, 0, event);
}

/** Runs a job over two processes of one database. */
function inTwo(job: (one: Db, two: Db) => Promise<void>): Promise<void> {
  return inSeveral(2, ([one, two]) => job(connectDatabase(one!), connectDatabase(two!)));
}

async function insert(tx: Db): Promise<void> {
  const row = { id: "a", email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await writeOne(tx, async (handle) => void await handle.insertInto("account").values(row).execute());
}

async function accounts(db: Db): Promise<number> {
  return (await db.selectFrom("account").select("id").execute()).length;
}

describe("an attempt", () => {
  test(
    "runs again as a transaction if another process has appended, even the same entry",
    LIMIT,
    async () => {
      await inTwo(async (one, two) => {
        let runs = 0;
        const commit = (db: Db) =>
          createGroupCommit(db).run(async (tx) => {
            runs++;
            await append(tx);
          }, { accountId: "acc_1" });
        await commit(one);
        await commit(two);
        runs = 0;
        await commit(one);
        assert.equal(runs, 2);
        assert.equal(watchOf(one).fault, undefined);
        const { entries, fault } = await verifyAudit(one, vault);
        assert.deepEqual([entries, fault], [3, undefined]);
      });
    },
  );

  test("commits one write that it did not wait for", LIMIT, async () => {
    await inTwo(async (db) => {
      assert.deepEqual(await attemptTransaction(db, insert, SCOPE), { value: undefined });
      assert.equal(await accounts(db), 1);
    });
  });

  const UNEXPECTED: Readonly<Record<string, (tx: Db) => Promise<unknown>>> = {
    "no row": (tx) => tx.updateTable("account").set({ name: "b" }).where("id", "=", "b").execute(),
    "two rows": (tx) => tx.updateTable("account").set({ name: "b" }).execute(),
  };
  for (const [what, write] of Object.entries(UNEXPECTED)) {
    test(`is rolled back by the server if it writes ${what}`, LIMIT, async () => {
      await inTwo(async (db) => {
        const row = { email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
        await db.insertInto("account").values({ ...row, id: "other" }).execute();
        const attempted = attemptTransaction(db, async (tx) => {
          await insert(tx);
          await writeOne(tx, async (handle) => void await write(handle));
        }, SCOPE);
        assert.equal(await attempted, undefined);
        assert.equal(await accounts(db), 1);
      });
    });
  }

  test("is rolled back by the server if a trigger keeps a row as it was", LIMIT, async () => {
    await inTwo(async (db) => {
      const authority = createRowAuthority(vault, () => 0);
      const where = { email: "ada@example.com" };
      const given = { ...where, account_id: "acc_1", created_at: 0 };
      const row = await insertRow(db, authority, "administrator_address", given);
      await sql`create function public.keep() returns trigger language plpgsql as 'begin return old; end'`
        .execute(db);
      await sql`create trigger keep before update on holdfast.administrator_address
        for each row execute function public.keep()`.execute(db);
      const replace = (tx: Db) =>
        replaceRow(tx, authority, "administrator_address", row, { account_id: "acc_2" });
      assert.equal(await attemptTransaction(db, replace, SCOPE), undefined);
      await sql`drop trigger keep on holdfast.administrator_address`.execute(db);
      assert.equal((await transaction(db, replace)).account_id, "acc_2");
    });
  });

  test("reports no rows that another process has changed", LIMIT, async () => {
    await inTwo(async (one, two) => {
      const reported: string[] = [];
      const authority = createRowAuthority(vault, () => 0, {
        onInconsistent: (owner) => reported.push(owner),
      });
      const where = { email: "ada@example.com" };
      const consume = (db: Db) => consumeRow(db, authority, "administrator_address", "byEmail", where);
      const row = { ...where, account_id: "acc_1", created_at: 0 };
      await insertRow(one, authority, "administrator_address", row);
      assert.ok(await consume(two));
      assert.equal(await attemptTransaction(one, consume, SCOPE), undefined);
      assert.deepEqual(reported, []);
      assert.equal(await consume(one), undefined);
    });
  });

  test("rejects with the error of a job that relied on nothing", LIMIT, async () => {
    await inTwo(async (db) => {
      const refusal = new Error("No");
      await assert.rejects(attemptTransaction(db, () => Promise.reject(refusal), SCOPE), refusal);
    });
  });

  test("is made after one that relied on memory and recorded nothing", LIMIT, async () => {
    await inTwo(async (db) => {
      const authority = createRowAuthority(vault, () => 0);
      const where = { email: "ada@example.com" };
      await insertRow(db, authority, "administrator_address", {
        ...where,
        account_id: "acc_1",
        created_at: 0,
      });
      const find = (tx: Db) => findRow(tx, authority, "administrator_address", "byEmail", where);
      assert.equal(await attemptTransaction(db, find, SCOPE), undefined);
      assert.deepEqual(await attemptTransaction(db, () => Promise.resolve(1), SCOPE), { value: 1 });
    });
  });

  test("is not made for sixteen transactions after one that was rolled back", LIMIT, async () => {
    await inTwo(async (db) => {
      const fail = (): Promise<unknown> =>
        attemptTransaction(
          db,
          (tx) => writeOne(tx, (handle) => UNEXPECTED["no row"]!(handle).then(() => {})),
          SCOPE,
        );
      await fail();
      let runs = 0;
      const run = (): Promise<unknown> => attemptTransaction(db, () => Promise.resolve(++runs), SCOPE);
      for (let count = 0; count < 16; count++) assert.equal(await run(), undefined);
      assert.deepEqual([await run(), runs], [{ value: 1 }, 1]);
    });
  });
});
