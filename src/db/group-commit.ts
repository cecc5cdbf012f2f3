import { CompiledQuery } from "kysely";
import { DatabaseError } from "./error.ts";
import { knownIn, recallOnly } from "./live-transaction.ts";
import { runCompiled } from "./port.ts";
import type { Db } from "./schema.ts";
import { transaction } from "./transaction.ts";
import { nextTurn } from "./turn.ts";

/** Runs jobs in transactions that they share. */
export interface GroupCommit {
  /**
   * Runs the job atomically and alone on the database; fulfils after the commit. When the job rejects, only
   * what it wrote is rolled back and only its caller hears of it; when the commit fails, all callers in it do. The
   * job uses nothing but its `tx` and waits for nothing but the database: all the others wait for it. Like every
   * transaction it may be run again, where what it did the first time was undone.
   */
  run<T>(job: (tx: Db) => Promise<T>): Promise<T>;
}

/** Jobs in one transaction: more would delay the first one's answer for little gain. */
const BATCH_LIMIT = 100;

/** Turns of the event loop that jobs are gathered in, at most: a commit takes longer than these. */
const GATHER_LIMIT = 4;

const SAVEPOINT = CompiledQuery.raw("savepoint job");
const ROLLBACK_TO = CompiledQuery.raw("rollback to job");
const RELEASE = CompiledQuery.raw("release job");

interface Waiting {
  /** Runs the job and returns what tells its caller, for after the commit. Rejects with what the job rejects with. */
  readonly start: (tx: Db) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Shares commits between the jobs in flight, because a durable commit costs more than all else a job does. A process
 * has one for its database.
 */
export function createGroupCommit(db: Db): GroupCommit {
  const queue: Waiting[] = [];
  let draining = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await gather(queue);
      await commitBatch(db, queue);
    }
    draining = false;
  }

  function run<T>(job: (tx: Db) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = async (tx: Db) => {
      const value = await job(tx);
      return () => resolve(value);
    };
    queue.push({ start, reject });
    if (!draining) {
      draining = true;
      void drain();
    }
    return promise;
  }

  return { run };
}

/** Waits for a turn of the event loop, and for some more while each brings further jobs. */
async function gather(queue: readonly Waiting[]): Promise<void> {
  let before: number;
  let turns = 0;
  do {
    before = queue.length;
    await nextTurn();
  } while (queue.length > before && ++turns < GATHER_LIMIT);
}

/** Takes jobs from the queue, those that arrive meanwhile included, and commits them together. Never rejects. */
async function commitBatch(db: Db, queue: Waiting[]): Promise<void> {
  const batch: Waiting[] = [];
  const settlements: (() => void)[] = [];
  try {
    await transaction(db, async (tx) => {
      // Where an engine runs it again, after another process came in between: those that are taken already, and more.
      settlements.length = 0;
      for (const waiting of batch) settlements.push(await runJob(tx, waiting));
      while (queue.length > 0 && batch.length < BATCH_LIMIT) {
        const waiting = queue.shift()!;
        batch.push(waiting);
        settlements.push(await runJob(tx, waiting));
      }
    });
  } catch (error) {
    // If the transaction could not even begin, all that wait hear why: one after another they would wait for ever longer.
    if (batch.length === 0) batch.push(...queue.splice(0));
    for (const waiting of batch) waiting.reject(error);
    return;
  }
  for (const settle of settlements) settle();
}

/** What tells the job's caller the outcome. Rejects only when the transaction as a whole is lost. */
async function runJob(tx: Db, waiting: Waiting): Promise<() => void> {
  await runCompiled(tx, SAVEPOINT);
  const known = knownIn(tx);
  try {
    const settle = await waiting.start(tx);
    await runCompiled(tx, RELEASE);
    return settle;
  } catch (error) {
    // The whole of it is run again.
    if (error instanceof DatabaseError && error.code === "conflict") throw error;
    await runCompiled(tx, ROLLBACK_TO).catch(() => {
      // After some errors the engine has rolled back all of it: that error is the one to tell.
      throw error;
    });
    recallOnly(tx, known);
    await runCompiled(tx, RELEASE);
    return () => waiting.reject(error);
  }
}
