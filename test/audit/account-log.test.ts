import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { entryHash } from "../../src/audit/entry.ts";
import { appendAudit } from "../../src/audit/log.ts";
import { acknowledgeRollback } from "../../src/audit/rollback.ts";
import { findHead, findLatest, listAccountLog } from "../../src/audit/account-log.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { linkedEntries } from "../../src/audit/stored-entry.ts";
import { openTestDatabase } from "../support/database.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

/** Creates entries of two accounts and of no account, in turn. Those of `acc_1` are 1, 4, 7, 10. */
async function sharedLog(): Promise<Db> {
  const db = await openTestDatabase();
  await transaction(db, async (tx) => {
    for (let index = 0; index < 10; index++) {
      const accountId = ["acc_1", "acc_2", null][index % 3]!;
      const subject = `key_${index}`;
      await appendAudit(tx, vault, AT + index, {
        event: "key_generated",
        accountId,
        subject,
        detail: { keyIndex: index },
      });
    }
  });
  await sql`drop trigger audit_event_no_update`.execute(db);
  await sql`drop trigger audit_event_no_delete`.execute(db);
  return db;
}

async function accountLogOf(db: Db, before?: number, limit = 100) {
  const accountLog = await listAccountLog(db, vault, { accountId: "acc_1", before, limit });
  return { ...accountLog, entries: accountLog.entries.map(({ seq }) => seq) };
}

async function set(db: Db, seq: number, values: Partial<Tables["audit_event"]>): Promise<void> {
  await db.updateTable("audit_event").set(values).where("seq", "=", seq).execute();
}

describe("listAccountLog()", () => {
  test("lists only an account's own entries, newest first, as recorded", async () => {
    const db = await sharedLog();
    const { entries, unverified, nextBefore } = await listAccountLog(db, vault, {
      accountId: "acc_1",
      before: undefined,
      limit: 2,
    });
    assert.deepEqual(
      entries,
      [9, 6].map((index) => ({
        seq: index + 1,
        at: AT + index,
        event: "key_generated",
        subject: `key_${index}`,
        detail: { keyIndex: index },
      })),
    );
    assert.deepEqual([unverified, nextBefore], [0, 7]);
    assert.deepEqual(await accountLogOf(db, 7), { entries: [4, 1], unverified: 0, nextBefore: undefined });
    assert.deepEqual(await accountLogOf(db, 1), { entries: [], unverified: 0, nextBefore: undefined });
    await db.destroy();
  });

  test("omits and counts authentic entries of another account that a view in place of the table returns", async () => {
    const db = await sharedLog();
    await sql`alter table audit_event rename to entries`.execute(db);
    // Every entry claims to be the account's where a query compares it, and says the truth where it is read.
    await sql`create view audit_event as select seq, at, event, account_id, subject, detail, state, hash, mac
      from entries union all select seq, at, event, 'acc_1', subject, detail, state, hash, mac from entries
      where account_id = 'acc_2'`.execute(db);
    const { entries, unverified } = await accountLogOf(db);
    assert.deepEqual(entries, [10, 7, 4, 1]);
    assert.ok(unverified > 0);
    await db.destroy();
  });

  test("omits authentic entries of another account that the database returns", async () => {
    const lying = await openLyingDatabase();
    await transaction(lying.db, async (tx) => {
      for (const accountId of ["acc_1", "acc_2"]) {
        const event = {
          event: "key_generated",
          accountId,
          subject: "key_1",
          detail: { keyIndex: 0 },
        } as const;
        await appendAudit(tx, vault, AT, event);
      }
    });
    const foreign = await linkedEntries(lying.db).where("audit_event.account_id", "=", "acc_2").execute();
    lying.lie = ({ act, table }) =>
      Promise.resolve(act === "select" && table === "audit_event" ? foreign : undefined);
    const accountLog = await listAccountLog(lying.db, vault, {
      accountId: "acc_1",
      before: undefined,
      limit: 9,
    });
    assert.deepEqual([accountLog.entries, accountLog.unverified], [[], foreign.length]);
  });

  test("lists the same entries page by page for every limit", async () => {
    const db = await sharedLog();
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: number[] = [];
      let before: number | undefined;
      do {
        const page = await accountLogOf(db, before, limit);
        seen.push(...page.entries);
        before = page.nextBefore;
      } while (before !== undefined);
      assert.deepEqual(seen, [10, 7, 4, 1], String(limit));
    }
    await db.destroy();
  });

  const EDITS: Readonly<Record<string, { edit: (db: Db) => Promise<unknown>; left: readonly number[] }>> = {
    "its time was changed": { edit: (db) => set(db, 4, { at: AT }), left: [10, 7, 1] },
    "its time was set to an unsafe integer": {
      edit: (db) => sql`update audit_event set at = 9223372036854775807 where seq = 4`.execute(db),
      left: [10, 7, 1],
    },
    "its event was changed": { edit: (db) => set(db, 4, { event: "signed_out" }), left: [10, 7, 1] },
    "its subject was changed": { edit: (db) => set(db, 4, { subject: null }), left: [10, 7, 1] },
    "its details were set to invalid JSON": { edit: (db) => set(db, 4, { detail: "{" }), left: [10, 7, 1] },
    "its hash was changed": { edit: (db) => set(db, 4, { hash: new Uint8Array(32) }), left: [10, 7, 1] },
    "its MAC was changed": { edit: (db) => set(db, 4, { mac: new Uint8Array(32) }), left: [10, 7, 1] },
    "its number was changed": { edit: (db) => set(db, 4, { seq: 40 }), left: [10, 7, 1] },
    "its number was set to an unsafe integer": {
      edit: (db) => sql`update audit_event set seq = 9007199254740990 where seq = 4`.execute(db),
      left: [10, 7, 1],
    },
    "it was moved from another account": {
      edit: (db) => set(db, 5, { account_id: "acc_1" }),
      left: [10, 7, 4, 1],
    },
    "it was moved from no account": {
      edit: (db) => set(db, 6, { account_id: "acc_1" }),
      left: [10, 7, 4, 1],
    },
    "its hash was recomputed": {
      edit: async (db) => {
        const [before, row] = await db.selectFrom("audit_event").selectAll().where("seq", "in", [3, 4])
          .orderBy("seq").execute();
        await set(db, 4, { at: AT, hash: entryHash(before!.hash, { ...row!, at: AT }) });
      },
      left: [10, 7, 1],
    },
    "the one before it was removed": {
      edit: (db) => db.deleteFrom("audit_event").where("seq", "=", 3).execute(),
      left: [10, 7, 1],
    },
  };
  for (const [title, { edit, left }] of Object.entries(EDITS)) {
    test(`omits and counts an entry when ${title}`, async () => {
      const db = await sharedLog();
      await edit(db);
      assert.deepEqual(await accountLogOf(db), { entries: left, unverified: 1, nextBefore: undefined });
      await db.destroy();
    });
  }
});

describe("listAccountLog() of a restored log", () => {
  /**
   * Creates entries 1 to 10 as in `sharedLog`, 11 and 15 for all accounts, and one of each account between and after.
   */
  async function createRestoredLog(): Promise<Db> {
    const db = await sharedLog();
    const append = (accountId: string): Promise<void> =>
      transaction(
        db,
        (tx) => appendAudit(tx, vault, AT, { event: "signed_out", accountId, subject: "ses_1", detail: {} }),
      );
    const acknowledge = (): Promise<unknown> =>
      acknowledgeRollback(db, vault, { cause: "restore", brokenAt: null, now: AT });
    await acknowledge();
    for (const accountId of ["acc_1", "acc_2", "acc_3"]) await append(accountId);
    await acknowledge();
    for (const accountId of ["acc_1", "acc_2"]) await append(accountId);
    return db;
  }

  test("reports it to every account that existed, and to none created later", async () => {
    const db = await createRestoredLog();
    const seqsOf = async (accountId: string): Promise<number[]> => {
      const { entries } = await listAccountLog(db, vault, { accountId, before: undefined, limit: 100 });
      return entries.map(({ seq }) => seq);
    };
    assert.deepEqual(await seqsOf("acc_1"), [16, 15, 12, 11, 10, 7, 4, 1]);
    assert.deepEqual(await seqsOf("acc_2"), [17, 15, 13, 11, 8, 5, 2]);
    assert.deepEqual(await seqsOf("acc_3"), [15, 14]);
    assert.deepEqual(await seqsOf("acc_4"), []);
    await db.destroy();
  });

  test("reports it once for pages of any length", async () => {
    const db = await createRestoredLog();
    for (const limit of [1, 2, 3, 4, 5, 7, 8]) {
      const seqs: number[] = [];
      let before: number | undefined;
      do {
        const accountLog = await listAccountLog(db, vault, { accountId: "acc_1", before, limit });
        seqs.push(...accountLog.entries.map(({ seq }) => seq));
        before = accountLog.nextBefore;
      } while (before !== undefined);
      assert.deepEqual(seqs, [16, 15, 12, 11, 10, 7, 4, 1], `limit ${limit}`);
    }
    await db.destroy();
  });

  test("omits and counts a forged entry for all accounts", async () => {
    const db = await createRestoredLog();
    await set(db, 15, { detail: '{"brokenAt":null,"cause":"person","until":0}' });
    const accountLog = await accountLogOf(db);
    assert.deepEqual([accountLog.entries.includes(15), accountLog.unverified], [false, 1]);
    await db.destroy();
  });
});

describe("findHead()", () => {
  test("returns the last entry of the log, or entry 0 of an empty one", async () => {
    const db = await sharedLog();
    const { hash } = await db.selectFrom("audit_event").select("hash").where("seq", "=", 10)
      .executeTakeFirstOrThrow();
    assert.deepEqual(await findHead(db, vault), { seq: 10, hash });
    await db.deleteFrom("audit_event").execute();
    assert.deepEqual(await findHead(db, vault), { seq: 0, hash: new Uint8Array(32) });
    await db.destroy();
  });

  test("returns undefined when the last entry is forged", async () => {
    const db = await sharedLog();
    await set(db, 10, { hash: new Uint8Array(32).fill(1) });
    assert.equal(await findHead(db, vault), undefined);
    await sql`update audit_event set seq = 9223372036854775807 where seq = 10`.execute(db);
    assert.equal(await findHead(db, vault), undefined);
    await db.destroy();
  });
});

/** Creates seven entries of `acc_1`, one of another account and one of another key: signatures and labels in turn. */
async function usedLog(): Promise<Db> {
  const db = await openTestDatabase();
  await transaction(db, async (tx) => {
    for (let index = 1; index <= 9; index++) {
      const accountId = index === 8 ? "acc_2" : "acc_1";
      const subject = index === 9 ? "key_b" : "key_a";
      const entry = { accountId, subject };
      await appendAudit(
        tx,
        vault,
        AT + index,
        index % 2 === 0
          ? { ...entry, event: "typed_data_signed", detail: { digest: "0x" } }
          : { ...entry, event: "key_labelled", detail: {} },
      );
    }
  });
  return db;
}

describe("listAccountLog() with a filter", () => {
  test("lists only the account's entries with these events and this subject, page by page", async () => {
    const db = await usedLog();
    const numbers = async (only: object, before?: number, limit = 100) => {
      const accountLog = await listAccountLog(db, vault, { accountId: "acc_1", before, limit, only });
      return [accountLog.entries.map(({ seq }) => seq), accountLog.nextBefore];
    };
    assert.deepEqual(await numbers({ events: ["typed_data_signed"] }), [[6, 4, 2], undefined]);
    assert.deepEqual(await numbers({ events: ["typed_data_signed"] }, undefined, 2), [[6, 4], 4]);
    assert.deepEqual(await numbers({ events: ["typed_data_signed"] }, 4, 2), [[2], undefined]);
    assert.deepEqual(await numbers({ subject: "key_b" }), [[9], undefined]);
    assert.deepEqual(await numbers({ subject: "key_b", events: ["typed_data_signed"] }), [[], undefined]);
  });

  test("reads a bounded number of entries, and returns where to continue", async () => {
    const db = await openTestDatabase();
    await transaction(db, async (tx) => {
      for (let index = 1; index <= 2005; index++) {
        const event = index === 3 ? "key_archived" as const : "key_labelled" as const;
        await appendAudit(tx, vault, AT, { event, accountId: "acc_1", subject: "key_a", detail: {} });
      }
    });
    const part = { accountId: "acc_1", limit: 5, only: { events: ["key_archived"] } } as const;
    const first = await listAccountLog(db, vault, { ...part, before: undefined });
    assert.deepEqual([first.entries.length, first.nextBefore], [0, 6]);
    const next = await listAccountLog(db, vault, { ...part, before: first.nextBefore });
    assert.deepEqual([next.entries.map(({ seq }) => seq), next.nextBefore], [[3], undefined]);
  });
});

describe("findLatest()", () => {
  const filter = { accountId: "acc_1", events: ["typed_data_signed"], subjects: ["key_a", "key_b"] } as const;

  test("returns each subject's latest time, of these events and this account only", async () => {
    const db = await usedLog();
    assert.deepEqual([...await findLatest(db, vault, filter)], [["key_a", AT + 6]]);
    assert.deepEqual([...await findLatest(db, vault, { ...filter, subjects: ["key_b"] })], []);
    assert.deepEqual([...await findLatest(db, vault, { ...filter, accountId: "acc_2" })], [[
      "key_a",
      AT + 8,
    ]]);
  });

  test("omits edited entries", async () => {
    const db = await usedLog();
    await sql`drop trigger audit_event_no_update`.execute(db);
    await db.updateTable("audit_event").set({ subject: "key_b" }).where("seq", "=", 6).execute();
    assert.deepEqual([...await findLatest(db, vault, filter)], [["key_a", AT + 4]]);
  });
});
