import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { atCommit, transaction } from "../../src/db/transaction.ts";
import { openDatabase } from "../../src/db/database.ts";
import type { Engine, Job } from "../../src/db/engine.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { GroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { openTestDatabase } from "../support/database.ts";
import { rerunning } from "../support/engine.ts";

interface Counted {
  readonly db: Db;
  readonly group: GroupCommit;
  readonly counts: { begun: number; committed: number; beforeBegin?: (() => Promise<void>) | undefined };
}

/** Wraps an engine to count its transactions, and runs `beforeCommit` before each commit. */
function counting(engine: Engine, counts: Counted["counts"], beforeCommit: () => Promise<void>): Engine {
  return {
    ...engine,
    transaction: async <T>(job: Job<T>) => {
      counts.begun++;
      await counts.beforeBegin?.();
      const value = await engine.transaction(async (run) => {
        const value = await job(run);
        await beforeCommit();
        return value;
      });
      counts.committed++;
      return value;
    },
  };
}

async function openCounted(
  path = ":memory:",
  beforeCommit: () => Promise<void> = () => Promise.resolve(),
): Promise<Counted> {
  const counts: Counted["counts"] = { begun: 0, committed: 0 };
  let started = false;
  const hook = () => started ? beforeCommit() : Promise.resolve();
  const db = await openDatabase(counting(await openSqlite(path), counts, hook));
  counts.begun = counts.committed = 0;
  started = true;
  return { db, group: createGroupCommit(db), counts };
}

async function insert(tx: Db, id: string): Promise<string> {
  const row = { id, email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await tx.insertInto("account").values(row).execute();
  return id;
}

async function ids(db: Db): Promise<string[]> {
  return (await db.selectFrom("account").select("id").orderBy("id").execute()).map(({ id }) => id);
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(4, "0"));

describe("GroupCommit.run()", () => {
  test("returns the job's result after the commit", async () => {
    const { db, group, counts } = await openCounted();
    assert.equal(await group.run((tx) => insert(tx, "a")), "a");
    assert.equal(counts.committed, 1);
    assert.deepEqual(await ids(db), ["a"]);
    await db.destroy();
  });

  test("shares one commit between the jobs in flight, and keeps their order", async () => {
    const { db, group, counts } = await openCounted();
    const order: string[] = [];
    const names = numbered(20);
    const values = await Promise.all(names.map((id) =>
      group.run(async (tx) => {
        order.push(id);
        return await insert(tx, id);
      })
    ));
    assert.deepEqual(values, names);
    assert.deepEqual(order, names);
    assert.deepEqual(counts, { begun: 1, committed: 1 });
    await db.destroy();
  });

  test("shares a commit with jobs that are added while the batch runs", async () => {
    const { db, group, counts } = await openCounted();
    let second: Promise<string> | undefined;
    await group.run((tx) => {
      second = group.run((later) => insert(later, "b"));
      return insert(tx, "a");
    });
    assert.equal(await second, "b");
    assert.equal(counts.committed, 1);
    await db.destroy();
  });

  test("commits a long queue in bounded batches", async () => {
    const { db, group, counts } = await openCounted();
    await Promise.all(numbered(250).map((id) => group.run((tx) => insert(tx, id))));
    assert.equal(counts.committed, 3);
    assert.deepEqual(await ids(db), numbered(250));
    await db.destroy();
  });

  test("resolves no call before the commit", async () => {
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: committing, resolve: arrive } = Promise.withResolvers<void>();
    const { db, group } = await openCounted(":memory:", () => {
      arrive();
      return mayCommit;
    });
    let answered = 0;
    const jobs = ["a", "b"].map((id) => group.run((tx) => insert(tx, id)).then(() => answered++));
    await committing;
    assert.equal(answered, 0);
    commit();
    await Promise.all(jobs);
    assert.equal(answered, 2);
    await db.destroy();
  });

  for (
    const [what, error] of Object.entries({
      "a refusal": new ProtocolError("not_found", "Not there"),
      "any other error": new TypeError("Our mistake"),
    })
  ) {
    test(`rejects one job with ${what}, and rolls back only its writes`, async () => {
      const { db, group, counts } = await openCounted();
      const outcomes = await Promise.allSettled([
        group.run((tx) => insert(tx, "a")),
        group.run(async (tx) => {
          await insert(tx, "b");
          throw error;
        }),
        group.run((tx) => insert(tx, "c")),
      ]);
      assert.deepEqual(outcomes, [
        { status: "fulfilled", value: "a" },
        { status: "rejected", reason: error },
        { status: "fulfilled", value: "c" },
      ]);
      assert.deepEqual(await ids(db), ["a", "c"]);
      assert.equal(counts.committed, 1);
      await db.destroy();
    });
  }

  test("rejects only the job whose statement fails", async () => {
    const { db, group } = await openCounted();
    const outcomes = await Promise.allSettled(["a", "a", "b"].map((id) => group.run((tx) => insert(tx, id))));
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await ids(db), ["a", "b"]);
    await db.destroy();
  });

  test("runs each job once, and rejects all of a batch whose commit fails", async () => {
    let failures = 1;
    const { db, group } = await openCounted(":memory:", () => {
      return failures-- > 0 ? Promise.reject(new Error("The disk is full")) : Promise.resolve();
    });
    let runs = 0;
    const job = (id: string) => (tx: Db) => {
      runs++;
      return insert(tx, id);
    };
    const outcomes = await Promise.allSettled(["a", "b"].map((id) => group.run(job(id))));
    for (const outcome of outcomes) {
      assert.match(String((outcome as PromiseRejectedResult).reason), /disk is full/);
    }
    assert.equal(runs, 2);
    assert.deepEqual(await ids(db), []);
    await group.run(job("c"));
    assert.deepEqual(await ids(db), ["c"]);
    await db.destroy();
  });

  test("commits each job alone when a commit fails for one job's rows, and rejects only that one", async () => {
    const { db, group, counts } = await openCounted();
    const jobs = ["a", "b", "c"].map((id) =>
      group.run(async (tx) => {
        const before = (): Promise<void> =>
          id === "b" ? Promise.reject(new DatabaseError("inconsistent", id)) : Promise.resolve();
        atCommit(tx, Symbol(id), { before, after: () => {} });
        return await insert(tx, id);
      })
    );
    const outcomes = await Promise.allSettled(jobs);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await ids(db), ["a", "c"]);
    assert.equal(counts.committed, 2);
    await db.destroy();
  });

  test("commits all jobs of a transaction that is retried, with the results of the retry", async () => {
    const db = await openTestDatabase(rerunning);
    const group = createGroupCommit(db);
    let runs = 0;
    const outcomes = await Promise.allSettled(["a", "a", "b"].map((id) =>
      group.run(async (tx) => {
        runs++;
        return `${runs} ${await insert(tx, id)}`;
      })
    ));
    assert.deepEqual(outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value), [
      "4 a",
      false,
      "6 b",
    ]);
    assert.deepEqual(await ids(db), ["a", "b"]);
    await db.destroy();
  });

  test("rejects all of a batch whose transaction a job ended, and continues with the next", async () => {
    const { db, group } = await openCounted();
    const outcomes = await Promise.allSettled([
      group.run((tx) => insert(tx, "a")),
      group.run(async (tx) => {
        await sql`rollback`.execute(tx);
      }),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
    await group.run((tx) => insert(tx, "b"));
    assert.deepEqual(await ids(db), ["b"]);
    await db.destroy();
  });

  test("rejects every job when no transaction can be started", async () => {
    const error = new DatabaseError("busy", "No");
    const { db, group, counts } = await openCounted();
    counts.beforeBegin = () => Promise.reject(error);
    const outcomes = await Promise.allSettled(["a", "b"].map((id) => group.run((tx) => insert(tx, id))));
    assert.deepEqual(outcomes, Array(2).fill({ status: "rejected", reason: error }));
    assert.equal(counts.begun, 1, "the lock is not awaited again after the previous commit");
    counts.beforeBegin = undefined;
    await group.run((tx) => insert(tx, "c"));
    assert.deepEqual(await ids(db), ["c"]);
    await db.destroy();
  });

  test("lets other transactions and reads run in between", async () => {
    const db = await openTestDatabase();
    const group = createGroupCommit(db);
    await Promise.all(
      numbered(50).flatMap((id) => [
        group.run((tx) => insert(tx, `g${id}`)),
        transaction(db, (tx) => insert(tx, `t${id}`)),
        ids(db),
      ]),
    );
    assert.equal((await ids(db)).length, 100);
    await db.destroy();
  });
});

describe("GroupCommit.run() of jobs with a write set", () => {
  /** Opens a database that reports `isRemote`, and records the scopes of its transactions. */
  async function openFarAway() {
    const scopes: (readonly string[] | undefined)[] = [];
    const db = await openTestDatabase((engine) => ({
      ...engine,
      isRemote: true,
      transaction: (job, scope) => {
        scopes.push(scope?.subjects);
        return engine.transaction(job, scope);
      },
    }));
    return { db, group: createGroupCommit(db), scopes };
  }

  /** Returns a barrier that opens when `count` callers wait at it. */
  function meeting(count: number): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    return async () => {
      if (--count === 0) resolve();
      await promise;
    };
  }

  test("runs jobs of several accounts concurrently, with one commit and the scope of all", async () => {
    const { db, group, scopes } = await openFarAway();
    const arrive = meeting(3);
    await Promise.all(["a", "b", "c"].map((id) =>
      group.run(async (tx) => {
        await insert(tx, id);
        await arrive();
      }, { accountId: id })
    ));
    assert.deepEqual([await ids(db), scopes], [["a", "b", "c"], [["a", "b", "c"]]]);
    await db.destroy();
  });

  test("runs jobs of one account one after the other", async () => {
    const { db, group } = await openFarAway();
    const steps: string[] = [];
    await Promise.all(["a", "b", "c"].map((id) =>
      group.run(async (tx) => {
        steps.push(`${id} begins`);
        await insert(tx, id);
        await ids(tx);
        steps.push(`${id} ends`);
      }, { accountId: "ada" })
    ));
    assert.deepEqual(steps, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    await db.destroy();
  });

  test("lets neither kind of job starve the other", async () => {
    const { db, group, scopes } = await openFarAway();
    const many = numbered(250);
    await Promise.all(many.flatMap((id) => [
      group.run((tx) => insert(tx, `s${id}`), { accountId: id }),
      group.run((tx) => insert(tx, `a${id}`)),
    ]));
    assert.equal((await ids(db)).length, 500);
    assert.deepEqual(scopes.map((scope) => scope?.length), [100, undefined, 100, undefined, 50, undefined]);
    await db.destroy();
  });

  test("rejects only a job that refuses before it has written", async () => {
    const { db, group, scopes } = await openFarAway();
    const refusal = new ProtocolError("not_found", "Not there");
    const outcomes = await Promise.allSettled([
      group.run((tx) => insert(tx, "a"), { accountId: "ada" }),
      group.run(async (tx) => {
        await ids(tx);
        throw refusal;
      }, { accountId: "bob" }),
    ]);
    assert.deepEqual(outcomes, [{ status: "fulfilled", value: "a" }, {
      status: "rejected",
      reason: refusal,
    }]);
    assert.deepEqual([await ids(db), scopes.length], [["a"], 1]);
    await db.destroy();
  });

  for (
    const [what, fail] of Object.entries({
      "that refuses once it has written": async (tx: Db) => {
        await insert(tx, "b");
        throw new ProtocolError("not_found", "Not there");
      },
      "a statement of which fails": async (tx: Db) => {
        await insert(tx, "b");
        await insert(tx, "b");
      },
      "that refuses once it has asked for something at the commit": (tx: Db) => {
        const refuse = () => Promise.reject(new Error("Asked for"));
        atCommit(tx, Symbol("hook"), { before: refuse, after: () => {} });
        return Promise.reject(new ProtocolError("not_found", "Not there"));
      },
      "that finds a row wrong": async (tx: Db) => {
        await insert(tx, "b");
        throw new DatabaseError("wrong_row", "Not that one");
      },
      "that waited for the database too long": async (tx: Db) => {
        await insert(tx, "b");
        throw new DatabaseError("busy", "Too long");
      },
    })
  ) {
    test(`rolls back only the writes of a job ${what}, and commits the others`, async () => {
      const { db, group, scopes } = await openFarAway();
      const outcomes = await Promise.allSettled([
        group.run((tx) => insert(tx, "a"), { accountId: "ada" }),
        group.run(fail, { accountId: "bob" }),
        group.run((tx) => insert(tx, "c"), { accountId: "cy" }),
      ]);
      assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
      assert.deepEqual(await ids(db), ["a", "c"]);
      assert.deepEqual(
        scopes,
        [["ada", "bob", "cy"], ["ada", "bob", "cy"]],
        "that one by itself the second time",
      );
      await db.destroy();
    });
  }

  test("runs the others concurrently again when one has to be rolled back", async () => {
    const { db, group, scopes } = await openFarAway();
    const meetings = [meeting(2), meeting(2)];
    let first = 0;
    const meet = (id: string) => async (tx: Db) => {
      const arrive = meetings[first++ < 2 ? 0 : 1]!;
      await insert(tx, id);
      await arrive();
    };
    const refuse = async (tx: Db) => {
      await insert(tx, "b");
      throw new ProtocolError("not_found", "Not there");
    };
    const outcomes = await Promise.allSettled([
      group.run(meet("a"), { accountId: "ada" }),
      group.run(refuse, { accountId: "bob" }),
      group.run(meet("c"), { accountId: "cy" }),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual([await ids(db), scopes.length, first], [["a", "c"], 2, 4]);
    await db.destroy();
  });

  test("runs all one after another when another one has to be rolled back the second time", async () => {
    const { db, group, scopes } = await openFarAway();
    let runs = 0;
    const later = async (tx: Db) => {
      await insert(tx, "c");
      if (++runs > 1) throw new ProtocolError("not_found", "Not there");
    };
    const refuse = async (tx: Db) => {
      await insert(tx, "b");
      throw new ProtocolError("not_found", "Not there");
    };
    const outcomes = await Promise.allSettled([
      group.run((tx) => insert(tx, "a"), { accountId: "ada" }),
      group.run(refuse, { accountId: "bob" }),
      group.run(later, { accountId: "cy" }),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
    assert.deepEqual([await ids(db), scopes.length], [["a"], 3]);
    await db.destroy();
  });

  test("rejects the whole batch when the database fails for one job", async () => {
    const { db, group, scopes } = await openFarAway();
    const fault = new DatabaseError("unreachable", "Gone");
    const outcomes = await Promise.allSettled([
      group.run((tx) => insert(tx, "a"), { accountId: "ada" }),
      group.run(() => Promise.reject(fault), { accountId: "bob" }),
    ]);
    assert.deepEqual(outcomes, Array(2).fill({ status: "rejected", reason: fault }));
    assert.deepEqual([await ids(db), scopes.length], [[], 1]);
    await db.destroy();
  });

  test("rejects all waiting jobs when no transaction can be started", async () => {
    const error = new DatabaseError("busy", "No");
    let begun = 0;
    const db = await openTestDatabase((engine) => ({
      ...engine,
      isRemote: true,
      transaction: () => {
        begun++;
        return Promise.reject(error);
      },
    }));
    const group = createGroupCommit(db);
    const outcomes = await Promise.allSettled(
      numbered(150).map((id) => group.run((tx) => insert(tx, id), { accountId: id })),
    );
    assert.ok(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === error));
    assert.equal(begun, 1, "the locks are not awaited again after the previous commit");
    await db.destroy();
  });

  test("runs each job alone on a local database", async () => {
    const { db, group } = await openCounted();
    await Promise.all(["a", "b"].map((id) => group.run((tx) => insert(tx, id), { accountId: id })));
    assert.deepEqual(await ids(db), ["a", "b"]);
    await db.destroy();
  });
});
