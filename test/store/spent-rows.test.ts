import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { recordDeleted, SPENT_LIMIT } from "../../src/store/spent-rows.ts";
import { findRow, listRows } from "../../src/store/read.ts";
import { lookupsOf, primaryLookup } from "../../src/store/lookups.ts";
import { hasState } from "../../src/store/state/kinds.ts";
import { consumeRow, insertRow, replaceIfUnchanged, replaceRow } from "../../src/store/write.ts";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import { openTestDatabase } from "../support/database.ts";
import type { Row } from "../support/lying-database.ts";
import { createTestAuthority } from "../support/vault.ts";
import { KINDS, otherValue, samplesOf } from "./sample.ts";

/** An attacker restores rows that were used, deleted or changed, with their original MAC. */
async function stageOf(kind: AuthorityKind) {
  const db = await openTestDatabase();
  await sql`pragma foreign_keys = off`.execute(db);
  const samples = await samplesOf(db, kind);
  const authority = createTestAuthority();
  const [plain, row] = [samples.plain(0), samples.sealed(0)];
  const lookup = primaryLookup(kind);
  const where = row as never;
  return {
    db,
    samples,
    authority,
    row,
    insert: (into: Db = db) => insertRow(into, authority, kind, plain as never),
    find: (from: Db = db) => findRow(from, authority, kind, lookup, where),
    consume: (from: Db = db) => consumeRow(from, authority, kind, lookup, where),
    restore: async (): Promise<void> => {
      await sql`delete from ${sql.table(kind)}`.execute(db);
      await db.insertInto(kind).values(row as never).execute();
    },
  };
}

const kindsThat = (...spent: readonly string[]): AuthorityKind[] =>
  KINDS.filter((kind) => spent.includes(lookupsOf(kind).spent ?? ""));

for (const kind of kindsThat("removed", "changed")) {
  describe(`a restored row of ${kind}`, () => {
    test("counts as absent in every lookup after it was consumed", async () => {
      const { db, authority, row, insert, find, consume, restore } = await stageOf(kind);
      await insert();
      assert.deepEqual(await consume(), row);
      await restore();
      for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
        const where = Object.fromEntries(columns.map((column) => [column, row[column]])) as never;
        assert.equal(await findRow(db, authority, kind, lookup as never, where), undefined);
      }
      for (const lookup of Object.keys(lookupsOf(kind).list)) {
        assert.deepEqual(await listRows(db, authority, kind, lookup as never, row as never), []);
      }
      const rejected = authority.rejected.length;
      assert.ok(rejected > 0);
      assert.equal(await consume(), undefined);
      assert.equal(authority.rejected.length, rejected + 1);
      assert.equal(await find(), undefined);
    });

    test("is consumed once if a trigger restores it", async () => {
      const { db, row, insert, consume } = await stageOf(kind);
      await insert();
      const columns = Object.keys(row);
      const old = columns.map((column) => `old.${column}`).join();
      await sql.raw(
        `create trigger keep after delete on ${kind}
          begin insert into ${kind} (${columns.join()}) values (${old}); end`,
      ).execute(db);
      assert.deepEqual(await consume(), row);
      for (let again = 0; again < 3; again++) assert.equal(await consume().catch(() => undefined), undefined);
    });

    test("is consumed once if a trigger restores it within a transaction, which requests may share", async () => {
      const { db, row, insert, consume } = await stageOf(kind);
      await insert();
      const columns = Object.keys(row);
      const old = columns.map((column) => `old.${column}`).join();
      await sql.raw(
        `create trigger keep after delete on ${kind}
          begin insert into ${kind} (${columns.join()}) values (${old}); end`,
      ).execute(db);
      const groupCommit = createGroupCommit(db);
      const jobs = Array.from({ length: 5 }, () => groupCommit.run((tx) => consume(tx)));
      const taken = (await Promise.allSettled(jobs)).filter((job) =>
        job.status === "fulfilled" && job.value !== undefined
      );
      assert.equal(taken.length, 1);
    });

    test("is valid until its consumption is committed, or if that was rolled back", async () => {
      const { db, row, insert, find, consume } = await stageOf(kind);
      await insert();
      await assert.rejects(
        transaction(db, async (tx) => {
          assert.deepEqual(await consume(tx), row);
          throw new Error("It was rolled back");
        }),
        /It was rolled back/,
      );
      assert.deepEqual(await find(), row);
      const groupCommit = createGroupCommit(db);
      const jobs = await Promise.allSettled([
        groupCommit.run(async (tx) => {
          assert.deepEqual(await consume(tx), row);
          throw new Error("It was rolled back to a savepoint");
        }),
        groupCommit.run(async (tx) => assert.deepEqual(await find(tx), row)),
      ]);
      assert.deepEqual(jobs.map(({ status }) => status), ["rejected", "fulfilled"]);
      assert.deepEqual(await consume(), row);
    });

    test("counts as absent from the commit on, also in transactions", async () => {
      const { db, row, insert, find, consume, restore } = await stageOf(kind);
      await insert();
      await createGroupCommit(db).run(async (tx) => assert.deepEqual(await consume(tx), row));
      await restore();
      assert.equal(await transaction(db, (tx) => find(tx)), undefined);
      assert.equal(await transaction(db, (tx) => consume(tx)), undefined);
    });

    test("does not affect another database of the process", async () => {
      const [one, other] = [await stageOf(kind), await stageOf(kind)];
      await one.insert();
      await other.insert();
      await one.consume();
      assert.deepEqual(await other.consume(), other.row);
    });
  });
}

for (const kind of kindsThat("changed")) {
  test(`an earlier version of a row of ${kind} counts as absent when restored`, async () => {
    const { db, samples, authority, row, insert, find, restore } = await stageOf(kind);
    const written = await insert();
    const where = Object.values(lookupsOf(kind).one).flat();
    const column = (AUTHORITY[kind].authenticated as readonly string[]).find((name) =>
      !where.includes(name)
    )!;
    const change = { [column]: otherValue(samples, row, column) };
    const changed = await transaction(db, (tx) => replaceRow(tx, authority, kind, written, change as never));
    assert.deepEqual(await find(), changed);
    await restore();
    assert.equal(await find(), undefined);
    assert.equal(authority.rejected.length, 1);
  });
}

for (const kind of kindsThat("changed")) {
  /** Stages a row and a function that changes an authenticated column of it. */
  const changing = async () => {
    const stage = await stageOf(kind);
    const { db, samples, authority, row } = stage;
    const where = Object.values(lookupsOf(kind).one).flat();
    const column = (AUTHORITY[kind].authenticated as readonly string[]).find((name) =>
      !where.includes(name)
    )!;
    const change = (present: unknown, to: unknown, tx: Db = db) =>
      replaceRow(tx, authority, kind, present as never, { [column]: to } as never);
    const [plain, other] = [row[column], otherValue(samples, row, column)];
    return { ...stage, written: await stage.insert(), change, plain, other };
  };

  test(`a row of ${kind} that is written unchanged is valid`, async () => {
    const { db, authority, row, written, change, plain, find, consume } = await changing();
    assert.deepEqual(await change(written, plain), row);
    assert.deepEqual(await find(), row);
    assert.deepEqual(await transaction(db, (tx) => change(written, plain, tx)), row);
    assert.deepEqual(await consume(), row);
    assert.equal(authority.rejected.length, 0);
  });

  test(`a row of ${kind} changed back to earlier values is valid, and its version in between is not`, async () => {
    const { db, authority, row, written, change, plain, other, find } = await changing();
    const between = await change(written, other);
    await assert.rejects(
      transaction(db, async (tx) => {
        await change(between, plain, tx);
        assert.deepEqual(await find(tx), row);
        throw new Error("It was rolled back");
      }),
      /It was rolled back/,
    );
    assert.deepEqual(await find(), between);
    await db.deleteFrom(kind).execute();
    await db.insertInto(kind).values(row as never).execute();
    assert.equal(await find(), undefined, "it was put back");
    await db.deleteFrom(kind).execute();
    await db.insertInto(kind).values(between as never).execute();
    assert.deepEqual(await change(between, plain), row);
    assert.deepEqual(await find(), row);
    await db.deleteFrom(kind).execute();
    await db.insertInto(kind).values(between as never).execute();
    assert.equal(await find(), undefined);
    assert.equal(authority.rejected.length, 2);
  });

  test(`a row of ${kind} that an attacker deleted is not valid again when inserted as it was`, async () => {
    const { db, authority, written, change, other, insert, find } = await changing();
    await change(written, other);
    await db.deleteFrom(kind).execute();
    await insert();
    assert.equal(await find(), undefined);
    assert.equal(authority.rejected.length, 1);
  });

  test(`a change of a row of ${kind} that a trigger reverts succeeds once, also in one transaction`, async () => {
    const { db, samples, authority, row, insert } = await stageOf(kind);
    const written = await insert();
    const columns = Object.keys(row);
    await sql.raw(
      `create trigger keep after update on ${kind} begin update ${kind} set ${
        columns.map((column) => `${column} = old.${column}`).join()
      } where mac = new.mac; end`,
    ).execute(db);
    const where = Object.values(lookupsOf(kind).one).flat();
    const column = (AUTHORITY[kind].authenticated as readonly string[]).find((name) =>
      !where.includes(name)
    )!;
    const change = { [column]: otherValue(samples, row, column) } as never;
    const groupCommit = createGroupCommit(db);
    const jobs = Array.from(
      { length: 5 },
      () => groupCommit.run((tx) => replaceIfUnchanged(tx, authority, kind, written, change)),
    );
    const done = (await Promise.all(jobs)).filter((changed) => changed !== undefined);
    assert.equal(done.length, 1);
    assert.equal(await replaceIfUnchanged(db, authority, kind, written, change), undefined);
  });
}

test("spent rows are recorded for every kind without a state that expires or is consumed", () => {
  const withEnd = KINDS.filter((kind) =>
    !hasState(kind) && (AUTHORITY[kind].authenticated as readonly string[]).includes("expires_at")
  );
  // A stored response belongs to the caller's own key. Restoring it only returns the same response again.
  const remembered = kindsThat("removed", "changed");
  assert.deepEqual(withEnd.filter((kind) => !remembered.includes(kind)), ["idempotent_answer"]);
});

test("the latest spent rows of each kind are recorded, and the oldest are evicted", async () => {
  const { db, samples, authority } = await stageOf("challenge");
  const challengeOf = (number: number): Row => samples.plain(3, { challenge: `challenge ${number}` });
  const use = async (tx: Db, number: number) => {
    const row = challengeOf(number) as never;
    await insertRow(tx, authority, "challenge", row);
    return await consumeRow(tx, authority, "challenge", "byChallenge", row);
  };
  await transaction(db, (tx) => use(tx, 0));
  // Calls `recordDeleted` directly, because inserting and consuming every row takes ten seconds.
  for (let number = 1; number < SPENT_LIMIT; number++) recordDeleted(db, "challenge", challengeOf(number));
  assert.equal(await use(db, 0), undefined);
  await transaction(db, (tx) => use(tx, SPENT_LIMIT));
  const isKnown = async (number: number) => await use(db, number) === undefined;
  assert.deepEqual([await isKnown(SPENT_LIMIT), await isKnown(1)], [true, true]);
  assert.equal(await isKnown(0), false);
});
