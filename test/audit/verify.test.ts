import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { entryHash, NO_HASH } from "../../src/audit/entry.ts";
import { appendAudit } from "../../src/audit/log.ts";
import type { AuditHead } from "../../src/audit/stored-entry.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import type { AuditFault } from "../../src/audit/chain.ts";
import type { HeadComparison } from "../../src/audit/verify.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { dropLogTriggers, forgetLog } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";
import { editBehindIndex, editBehindTypes, preferIndex } from "../support/hostile-file.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

async function logOf(length: number): Promise<Db> {
  const db = await openTestDatabase();
  await appendKeys(db, length);
  return db;
}

async function appendKeys(db: Db, length: number): Promise<void> {
  await transaction(db, async (tx) => {
    for (let index = 0; index < length; index++) {
      const detail = { keyIndex: index };
      const subject = `key_${index}`;
      await appendAudit(tx, vault, AT + index, {
        event: "key_generated",
        accountId: "acc_1",
        subject,
        detail,
      });
    }
  });
}

async function swap(db: Db, one: number, other: number): Promise<void> {
  const update = db.updateTable("audit_event");
  await update.set({ seq: -1 }).where("seq", "=", one).execute();
  await update.set({ seq: one }).where("seq", "=", other).execute();
  await update.set({ seq: other }).where("seq", "=", -1).execute();
}

/** Recomputes all hashes from an entry on, which needs no secret. */
async function rehash(db: Db, from: number): Promise<void> {
  const rows = await db.selectFrom("audit_event").selectAll().where("seq", ">=", from - 1).orderBy("seq")
    .execute();
  let previous = from === 1 ? NO_HASH : rows.shift()!.hash;
  for (const row of rows) {
    previous = entryHash(previous, row);
    await db.updateTable("audit_event").set({ hash: previous }).where("seq", "=", row.seq).execute();
  }
}

const change = (set: Partial<Tables["audit_event"]>) => async (db: Db) => {
  await db.updateTable("audit_event").set(set).where("seq", "=", 3).execute();
};

/** Rolls the log back to when it ended with this entry. */
async function cutAfter(db: Db, last: number): Promise<void> {
  await db.deleteFrom("audit_event").where("seq", ">", last).execute();
}

const EDITS: Record<string, { edit: (db: Db) => Promise<unknown>; fault: AuditFault; entries?: number }> = {
  "the time of an entry was changed": { edit: change({ at: AT }), fault: { seq: 3, kind: "altered" } },
  "the time of an entry was set to an unsafe integer": {
    edit: (db) => sql`update audit_event set at = 9223372036854775807 where seq = 3`.execute(db),
    fault: { seq: 3, kind: "altered" },
  },
  "the number of the last entry was set to an unsafe integer": {
    edit: (db) => sql`update audit_event set seq = 9223372036854775807 where seq = 6`.execute(db),
    fault: { seq: 6, kind: "missing" },
  },
  "the number of an entry was made negative": {
    edit: (db) => sql`update audit_event set seq = -3 where seq = 3`.execute(db),
    fault: { seq: 3, kind: "missing" },
  },
  "the event of an entry was changed": {
    edit: change({ event: "key_archived" }),
    fault: { seq: 3, kind: "altered" },
  },
  "the account of an entry was changed": {
    edit: change({ account_id: "acc_2" }),
    fault: { seq: 3, kind: "altered" },
  },
  "the account of an entry was emptied": {
    edit: change({ account_id: null }),
    fault: { seq: 3, kind: "altered" },
  },
  "the subject of an entry was changed": {
    edit: change({ subject: "key_9" }),
    fault: { seq: 3, kind: "altered" },
  },
  "the details of an entry were changed": {
    edit: change({ detail: "{}" }),
    fault: { seq: 3, kind: "altered" },
  },
  "a state was added to an entry": {
    edit: change({ state: new Uint8Array(12) }),
    fault: { seq: 3, kind: "altered" },
  },
  "an empty state was added to an entry": {
    edit: change({ state: new Uint8Array() }),
    fault: { seq: 3, kind: "altered" },
  },
  "the hash of an entry was changed": {
    edit: change({ hash: new Uint8Array(32) }),
    fault: { seq: 3, kind: "altered" },
  },
  "the hash of an entry was cut short": {
    edit: change({ hash: new Uint8Array() }),
    fault: { seq: 3, kind: "altered" },
  },
  "the MAC of an entry was changed": {
    edit: change({ mac: new Uint8Array(32) }),
    fault: { seq: 3, kind: "forged" },
  },
  "the first entry was removed": {
    edit: (db) => db.deleteFrom("audit_event").where("seq", "=", 1).execute(),
    fault: { seq: 1, kind: "missing" },
  },
  "an entry in the middle was removed": {
    edit: (db) => db.deleteFrom("audit_event").where("seq", "=", 3).execute(),
    fault: { seq: 3, kind: "missing" },
  },
  "an entry was removed and the rest renumbered": {
    edit: async (db) => {
      await db.deleteFrom("audit_event").where("seq", "=", 3).execute();
      for (const seq of [4, 5, 6]) {
        await db.updateTable("audit_event").set({ seq: seq - 1 }).where("seq", "=", seq).execute();
      }
    },
    fault: { seq: 3, kind: "altered" },
  },
  "an entry was removed and the rest renumbered and rehashed": {
    edit: async (db) => {
      await db.deleteFrom("audit_event").where("seq", "=", 3).execute();
      for (const seq of [4, 5, 6]) {
        await db.updateTable("audit_event").set({ seq: seq - 1 }).where("seq", "=", seq).execute();
      }
      await rehash(db, 3);
    },
    fault: { seq: 3, kind: "forged" },
  },
  "two entries were swapped": { edit: (db) => swap(db, 2, 3), fault: { seq: 2, kind: "altered" } },
  "an entry was replaced and everything rehashed": {
    edit: async (db) => {
      await swap(db, 1, 4);
      await rehash(db, 1);
    },
    fault: { seq: 1, kind: "forged" },
  },
  "an entry was appended as a copy of another": {
    edit: async (db) => {
      const row = await db.selectFrom("audit_event").selectAll().where("seq", "=", 6)
        .executeTakeFirstOrThrow();
      await db.insertInto("audit_event").values({ ...row, seq: 7 }).execute();
    },
    fault: { seq: 7, kind: "altered" },
  },
  "an entry was appended with a valid hash": {
    edit: async (db) => {
      const row = await db.selectFrom("audit_event").selectAll().where("seq", "=", 6)
        .executeTakeFirstOrThrow();
      await db.insertInto("audit_event").values({ ...row, seq: 7 }).execute();
      await rehash(db, 7);
    },
    fault: { seq: 7, kind: "forged" },
  },
  "an entry was inserted with number 0": {
    edit: async (db) => {
      const row = await db.selectFrom("audit_event").selectAll().where("seq", "=", 6)
        .executeTakeFirstOrThrow();
      await db.insertInto("audit_event").values({ ...row, seq: 0 }).execute();
    },
    entries: 6,
    fault: { seq: 0, kind: "forged" },
  },
  "an entry was inserted with the lowest number": {
    edit: (db) =>
      sql`insert into audit_event select -9223372036854775808, at, event, account_id, subject, detail, state, hash, mac
        from audit_event where seq = 6`.execute(db),
    entries: 6,
    fault: { seq: -9223372036854775808, kind: "forged" },
  },
  "an entry was inserted before the first": {
    edit: async (db) => {
      const row = await db.selectFrom("audit_event").selectAll().where("seq", "=", 1)
        .executeTakeFirstOrThrow();
      for (const seq of [6, 5, 4, 3, 2, 1]) {
        await db.updateTable("audit_event").set({ seq: seq + 1 }).where("seq", "=", seq).execute();
      }
      await db.insertInto("audit_event").values(row).execute();
    },
    fault: { seq: 2, kind: "altered" },
  },
};

describe("verifyAudit()", () => {
  test(
    "counts all entries and returns the head of a valid log of several pages",
    { timeout: 60_000 },
    async () => {
      const db = await logOf(2001);
      const last = await db.selectFrom("audit_event").select("hash").where("seq", "=", 2001)
        .executeTakeFirstOrThrow();
      assert.deepEqual(await verifyAudit(db, vault), {
        entries: 2001,
        head: last.hash,
        fault: undefined,
        acceptedBreaks: [],
        comparison: undefined,
      });
      await db.destroy();
    },
  );

  test("finds no fault in an empty log", async () => {
    const db = await openTestDatabase();
    assert.deepEqual(await verifyAudit(db, vault), {
      entries: 0,
      head: NO_HASH,
      fault: undefined,
      acceptedBreaks: [],
      comparison: undefined,
    });
    await db.destroy();
  });

  for (const [title, { edit, fault, entries = fault.seq - 1 }] of Object.entries(EDITS)) {
    test(`finds the place when ${title}`, async () => {
      const db = await logOf(6);
      await dropLogTriggers(db);
      await edit(db);
      const verdict = await verifyAudit(db, vault);
      assert.deepEqual(verdict.fault, fault);
      assert.equal(verdict.entries, entries);
      await db.destroy();
    });
  }

  test("reports its progress after each page, and waits for the callback", { timeout: 60_000 }, async () => {
    const db = await logOf(1500);
    const reported: number[] = [];
    const onPage = async (entries: number): Promise<void> => {
      await Promise.resolve();
      reported.push(entries);
    };
    await verifyAudit(db, vault, { onPage });
    assert.deepEqual(reported, [1000, 1500]);
    await db.destroy();
  });

  for (const column of ["at", "event", "subject", "detail", "hash", "mac"]) {
    for (const value of ["null", "'text'", "x'0102'", "1.5"]) {
      test(`finds the place when ${column} was set to ${value} against the table's types`, async () => {
        await inFolder(async (folder) => {
          const path = join(folder, "a.db");
          await closeDatabase(await openDatabase(await openSqlite(path)));
          let db = connectDatabase(await openSqlite(path));
          await appendKeys(db, 3);
          await dropLogTriggers(db);
          await closeDatabase(db);
          editBehindTypes(path, "audit_event", `update audit_event set ${column} = ${value} where seq = 2`);
          db = connectDatabase(await openSqlite(path));
          const { fault } = await verifyAudit(db, vault);
          assert.equal(fault?.seq, 2);
          await closeDatabase(db);
        });
      });
    }
  }

  test("calls the first entry forged when another vault wrote the log", async () => {
    const db = await logOf(2);
    assert.deepEqual((await verifyAudit(db, createTestVault(8))).fault, { seq: 1, kind: "forged" });
    await db.destroy();
  });
});

describe("verifyAudit() with a head stored elsewhere", () => {
  async function headOf(db: Db, seq: number): Promise<AuditHead> {
    const { hash } = await db.selectFrom("audit_event").select("hash").where("seq", "=", seq)
      .executeTakeFirstOrThrow();
    return { seq, hash };
  }

  async function compared(db: Db, kept: AuditHead): Promise<HeadComparison | undefined> {
    return (await verifyAudit(db, vault, { expectedHead: kept })).comparison;
  }

  /** Appends entries that no earlier head includes. */
  async function useOn(db: Db, count: number, at = AT): Promise<void> {
    await transaction(db, async (tx) => {
      const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
      for (let done = 0; done < count; done++) await appendAudit(tx, vault, at, event);
    });
  }

  test("finds every head that the log ever had", async () => {
    const db = await logOf(4);
    for (const seq of [1, 2, 3, 4]) assert.equal(await compared(db, await headOf(db, seq)), "kept");
    assert.equal(await compared(db, { seq: 0, hash: NO_HASH }), "kept");
    assert.equal(await compared(db, { seq: 0, hash: NO_HASH.with(0, 1) }), "replaced");
    await db.destroy();
  });

  test("detects that the newest entries were cut off, which the log itself does not show", async () => {
    const db = await logOf(6);
    const head = await headOf(db, 6);
    await dropLogTriggers(db);
    await cutAfter(db, 5);
    const verdict = await verifyAudit(db, vault, { expectedHead: head });
    assert.deepEqual([verdict.fault, verdict.comparison], [undefined, "cut"]);
    await cutAfter(db, 0);
    assert.equal(await compared(db, head), "cut");
    await db.destroy();
  });

  test("detects that an older log was restored and used until it is as long again", async () => {
    const db = await logOf(6);
    const [old, head] = [await headOf(db, 3), await headOf(db, 6)];
    await dropLogTriggers(db);
    await cutAfter(db, 3);
    forgetLog(db);
    await useOn(db, 5, AT + 9);
    const verdict = await verifyAudit(db, vault, { expectedHead: head });
    assert.deepEqual([verdict.entries, verdict.fault, verdict.comparison], [8, undefined, "replaced"]);
    assert.equal(await compared(db, old), "kept");
    await db.destroy();
  });

  test("detects it when a covering index shows the new log and the table the old head", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      await closeDatabase(await openDatabase(await openSqlite(path)));
      let db = connectDatabase(await openSqlite(path));
      await useOn(db, 6);
      const head = await headOf(db, 6);
      await dropLogTriggers(db);
      await cutAfter(db, 3);
      forgetLog(db);
      await useOn(db, 5, AT + 9);
      const columns = "seq, at, event, account_id, subject, detail, hash, mac";
      await sql.raw(`create index lie on audit_event (${columns})`).execute(db);
      await closeDatabase(db);
      preferIndex(path, "audit_event", "lie");
      editBehindIndex(path, "lie", `update audit_event set hash = x'${head.hash.toHex()}' where seq = 6`);
      db = connectDatabase(await openSqlite(path));
      const { rows: [plan] } = await sql<{ detail: string }>`explain query plan
        select seq, hash from audit_event where seq > 0 order by seq`.execute(db);
      assert.match(plan!.detail, /COVERING INDEX lie/);
      assert.notEqual(await compared(db, head), "kept");
      await closeDatabase(db);
    });
  });

  test("does not compare a head after a fault, and compares one before it", async () => {
    const db = await logOf(6);
    const [before, behind] = [await headOf(db, 2), await headOf(db, 6)];
    await dropLogTriggers(db);
    await change({ at: 0 })(db);
    assert.equal(await compared(db, behind), "unknown");
    assert.equal(await compared(db, before), "kept");
    await db.destroy();
  });
});

describe("audit_event", () => {
  test("refuses to change or delete an entry", async () => {
    const db = await logOf(1);
    await assert.rejects(db.updateTable("audit_event").set({ at: 0 }).execute(), /append-only/);
    await assert.rejects(db.deleteFrom("audit_event").execute(), /append-only/);
    assert.equal((await verifyAudit(db, vault)).entries, 1);
    await db.destroy();
  });
});
