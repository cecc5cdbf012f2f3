import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "../../src/audit/log.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import type { LogFault } from "../../src/audit/log-head.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Scope } from "../../src/db/engine.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { copyTransactionState, restoreTransactionState, transaction } from "../../src/db/transaction.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { dropLogTriggers, hideEdit } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { isOnPostgres } from "../support/postgres.ts";
import { inFolder } from "../support/folder.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

async function append(db: Db, subject = "ses_1", scope?: Scope): Promise<void> {
  await transaction(
    db,
    (tx) => appendAudit(tx, vault, AT, { event: "signed_out", accountId: "acc_1", subject, detail: {} }),
    scope,
  );
}

async function appendTimes(db: Db, times: number, scope?: Scope): Promise<void> {
  for (let time = 0; time < times; time++) await append(db, `ses_${time}`, scope);
}

/** Both append before the commit, and detect the same faults. With a scope, the log is locked and read again. */
const SCOPES: Readonly<Record<string, Scope | undefined>> = {
  "alone": undefined,
  "with a scope": { subjects: ["acc_1"] },
};

async function count(db: Db): Promise<number> {
  return (await db.selectFrom("audit_event").select("detail").execute()).length;
}

function isCut(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "log_cut";
}

/** Asserts that an append is refused with this fault, and that its transaction is rolled back. */
async function assertStops(
  db: Db,
  fault: Pick<LogFault, "reason" | "entry">,
  scope?: Scope,
): Promise<void> {
  const faults: LogFault[] = [];
  watchOf(db).onChange = (found) => faults.push(found!);
  const before = await count(db);
  for (const _time of [1, 2]) await assert.rejects(append(db, "ses_1", scope), isCut);
  assert.deepEqual(faults.map(({ reason, entry }) => ({ reason, entry })), [fault]);
  assert.equal(await count(db), before);
}

/** Schema changes that alter a written entry, and the fault detected. */
const LIES: Readonly<Record<string, { readonly sql: string; readonly reason: LogFault["reason"] }>> = {
  "drops the entry": {
    sql: "create trigger lie before insert on audit_event begin select raise(ignore); end",
    reason: "not_stored",
  },
  "deletes it afterwards": {
    sql:
      "create trigger lie after insert on audit_event begin delete from audit_event where seq = new.seq; end",
    reason: "not_stored",
  },
  "stores another account": {
    sql: `create trigger lie after insert on audit_event
      begin update audit_event set account_id = 'acc_2' where seq = new.seq; end`,
    reason: "not_stored",
  },
  "stores another time": {
    sql: `create trigger lie after insert on audit_event
      begin update audit_event set at = at - 1 where seq = new.seq; end`,
    reason: "not_stored",
  },
  "stores another number": {
    sql: `create trigger lie after insert on audit_event
      begin update audit_event set seq = seq + 5 where seq = new.seq; end`,
    reason: "not_stored",
  },
  "deletes the entry before it": {
    sql:
      "create trigger lie after insert on audit_event begin delete from audit_event where seq = new.seq - 1; end",
    reason: "cut",
  },
  "appends another entry": {
    sql: `create trigger lie after insert on audit_event when new.event = 'signed_out' begin
      insert into audit_event values (new.seq + 1, 0, 'signed_in', null, null, '{}', null, x'', x''); end`,
    reason: "forged",
  },
};

const SCOPE_ROWS = Object.entries(SCOPES);

describe("appendAudit() over a database that lies about what it stored", () => {
  const lies = SCOPE_ROWS.flatMap(([title, scope]) =>
    Object.entries(LIES).map(([name, lie]) => ({ name: `${name}, ${title}`, scope, ...lie }))
  );
  for (const { name, scope, sql: lie, reason } of lies) {
    test(`rolls back when the database ${name}`, async () => {
      const db = await openTestDatabase();
      await appendTimes(db, 2, scope);
      await dropLogTriggers(db);
      await sql.raw(lie).execute(db);
      const entry = { not_stored: 3, cut: 2, forged: 4 }[reason as "cut"];
      await assertStops(db, { reason, entry }, scope);
      await db.destroy();
    });

    test(`rolls back the first entry when the database ${name}`, async () => {
      const db = await openTestDatabase();
      await dropLogTriggers(db);
      await sql.raw(lie).execute(db);
      if (reason === "cut") await append(db, "ses_1", scope);
      else await assert.rejects(append(db, "ses_1", scope), isCut);
      await db.destroy();
    });
  }

  for (const writeSet of [undefined, { accountId: "acc_1" }]) {
    test(`rolls back every act of a shared commit${writeSet === undefined ? "" : ", concurrently"}`, async () => {
      const db = await openTestDatabase((engine) => ({ ...engine, isRemote: true }));
      await append(db);
      await dropLogTriggers(db);
      // Drops every second entry.
      await sql`create trigger lie after insert on audit_event when new.seq % 2 = 0
      begin delete from audit_event where seq = new.seq; end`.execute(db);
      const { run } = createGroupCommit(db);
      const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
      const acts = await Promise.allSettled(
        Array.from({ length: 20 }, () => run((tx) => appendAudit(tx, vault, AT, event), writeSet)),
      );
      assert.deepEqual(acts.filter(({ status }) => status === "fulfilled"), []);
      assert.equal(await count(db), 1);
      await db.destroy();
    });
  }

  test("rolls back if the table is a view that accepts insertions", async () => {
    const db = await openTestDatabase();
    await append(db);
    await sql`alter table audit_event rename to hidden`.execute(db);
    await sql`create view audit_event as select * from hidden`.execute(db);
    await sql`create trigger lie instead of insert on audit_event begin select 1; end`.execute(db);
    await assert.rejects(append(db), /a view|ON CONFLICT/);
    await sql`drop view audit_event`.execute(db);
    await sql`alter table hidden rename to audit_event`.execute(db);
    assert.equal(await count(db), 1);
    await db.destroy();
  });
});

/** Edits to a log of four entries, and the fault that its writer detects at the next append. */
const EDITS: Readonly<
  Record<
    string,
    {
      readonly sql: string;
      readonly fault: LogFault["reason"];
      /** The fault if the last entry is read before the append, as with a scope, and always over a server. */
      readonly looking?: LogFault["reason"];
    }
  >
> = {
  "is cut": { sql: "delete from audit_event where seq > 2", fault: "cut" },
  "is emptied": { sql: "delete from audit_event", fault: "cut" },
  "has another hash at its end": {
    sql: "update audit_event set hash = x'00' where seq = 4",
    fault: "replaced",
    looking: "forged",
  },
  "ends with an earlier entry": {
    sql: `update audit_event set hash = (select hash from audit_event where seq = 3),
      mac = (select mac from audit_event where seq = 3) where seq = 4`,
    fault: "replaced",
    looking: "forged",
  },
};

/** Entries inserted after the last one, which provides the number. */
const INSERTS: Readonly<Record<string, string>> = {
  "a forged entry": "insert into audit_event select seq + 1, 0, event, null, null, '{}', null, x'00', x'00'",
  "a copy of the last entry":
    "insert into audit_event select seq + 1, at, event, account_id, subject, detail, state, hash, mac",
  "an entry with a number beyond those that can be counted":
    "insert into audit_event select 9007199254740993, at, event, account_id, subject, detail, state, hash, mac",
};

describe("appendAudit() with a log that differs from the known one", () => {
  const edits = SCOPE_ROWS.flatMap(([title, scope]) =>
    Object.entries(EDITS).map(([name, edit]) => ({ name: `${name}, ${title}`, scope, ...edit }))
  );
  for (const { name, scope, sql: edit, fault, looking = fault } of edits) {
    test(`stops when the log ${name}`, async () => {
      const isLooking = scope !== undefined || isOnPostgres;
      const db = await openTestDatabase();
      await appendTimes(db, 4);
      await dropLogTriggers(db);
      await sql.raw(edit).execute(db);
      await assertStops(db, { reason: isLooking ? looking : fault, entry: 4 }, scope);
      await db.destroy();
    });
  }

  const inserts = SCOPE_ROWS.flatMap(([title, scope]) =>
    Object.entries(INSERTS).map(([name, insert]) => ({ name: `${name}, ${title}`, scope, insert }))
  );
  for (const { name, scope, insert } of inserts) {
    test(`does not continue after ${name}`, async () => {
      const db = await openTestDatabase();
      await appendTimes(db, 4);
      await sql.raw(`${insert} from audit_event where seq = 4`).execute(db);
      await assert.rejects(append(db, "ses_1", scope), isCut);
      assert.equal(await count(db), 5);
      await db.destroy();
    });

    test(`does not start with ${name}`, async () => {
      const db = await openTestDatabase();
      await appendTimes(db, 4);
      await sql.raw(`${insert} from audit_event where seq = 4`).execute(db);
      watchOf(db).known = undefined;
      await assert.rejects(append(db, "ses_1", scope), isCut);
      await db.destroy();
    });
  }

  test("stays stopped when the missing entries are restored", async () => {
    const db = await openTestDatabase();
    await appendTimes(db, 4);
    await dropLogTriggers(db);
    await sql`create table kept as select * from audit_event`.execute(db);
    await sql`delete from audit_event where seq = 4`.execute(db);
    await assertStops(db, { reason: "cut", entry: 4 });
    await sql`insert into audit_event select * from kept where seq = 4`.execute(db);
    await assert.rejects(append(db), isCut);
    await db.destroy();
  });
});

describe("appendAudit() with a scope", () => {
  test("appends before the commit, in order, the entries that were not rolled back", async () => {
    const db = await openTestDatabase();
    await append(db);
    await transaction(db, async (tx) => {
      const record = (subject: string) =>
        appendAudit(tx, vault, AT, { event: "signed_out", accountId: "acc_1", subject, detail: {} });
      await record("first");
      const known = copyTransactionState(tx);
      await record("rolled back");
      restoreTransactionState(tx, known);
      await record("second");
      assert.equal((await tx.selectFrom("audit_event").select("seq").execute()).length, 1);
    }, { subjects: ["acc_1"] });
    const rows = await db.selectFrom("audit_event").select("subject").orderBy("seq").execute();
    assert.deepEqual(rows.map(({ subject }) => subject), ["ses_1", "first", "second"]);
    await append(db, "third", { subjects: ["acc_1"] });
    assert.deepEqual((await verifyAudit(db, vault)).entries, 4);
    await db.destroy();
  });
});

describe("appendAudit() in two processes", () => {
  /** Runs the job with two handles on one file, which share no state, like two processes. */
  async function inTwo(job: (one: Db, two: Db, path: string) => Promise<void>): Promise<void> {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const one = await openDatabase(await openSqlite(path));
      const two = connectDatabase(await openSqlite(path));
      await job(one, two, path);
      await closeDatabase(one);
      await closeDatabase(two);
    });
  }

  test("continues after the other process's entries, alternating and at once", async () => {
    await inTwo(async (one, two) => {
      for (const db of [one, one, two, one, two, two, one]) await append(db);
      await Promise.all([appendTimes(one, 20), appendTimes(two, 20)]);
      const { entries, fault } = await verifyAudit(one, vault);
      assert.deepEqual([entries, fault], [47, undefined]);
    });
  });

  test("stops in a process that knew the truncated entries, and continues in the other", async () => {
    await inTwo(async (one, two) => {
      await appendTimes(two, 2);
      await appendTimes(one, 3);
      await dropLogTriggers(two);
      await hideEdit(one, two);
      await sql`delete from audit_event where seq > 2`.execute(one);
      await append(two);
      await assertStops(one, { reason: "cut", entry: 5 });
      await append(two);
    });
  });

  test("stops when an older file was restored and used until it is longer", async () => {
    await inTwo(async (one, two, path) => {
      await appendTimes(one, 2);
      await sql`pragma wal_checkpoint(truncate)`.execute(one);
      copyFileSync(path, `${path}.old`);
      await appendTimes(one, 3);
      const old = connectDatabase(await openSqlite(`${path}.old`));
      for (const name of ["a", "b", "c", "d", "e", "f"]) await append(old, name);
      const rows = await old.selectFrom("audit_event").selectAll().orderBy("seq").execute();
      await closeDatabase(old);
      await dropLogTriggers(two);
      await hideEdit(one, two);
      await sql`delete from audit_event`.execute(two);
      for (const row of rows) await two.insertInto("audit_event").values(row).execute();
      await append(two);
      await assertStops(one, { reason: "replaced", entry: 5 });
    });
  });
});
