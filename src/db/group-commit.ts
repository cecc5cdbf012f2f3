import { collectBatch, runInTurn, runMostTogether, runTogether, UndoneError } from "./write-set.ts";
import type { Kept, Settle, Waiting } from "./write-set.ts";
import type { Scope } from "./engine.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";
import { transaction } from "./transaction.ts";
import { nextTurn } from "../lib/cooperative.ts";

/** Runs jobs in transactions that they share. */
export interface GroupCommit {
  /**
   * Runs the job atomically and alone on the database; fulfils after the commit. When the job rejects, only
   * what it wrote is rolled back and only its caller hears of it; when the commit fails, all callers in it do. The
   * job uses nothing but its `tx` and waits for nothing but the database: all the others wait for it. Like every
   * transaction it may be run again, where what it did the first time was undone.
   *
   * A job that keeps to an account says so: jobs of other accounts may go on beside it then, here and in other processes,
   * and none that does not say so.
   */
  run<T>(job: (tx: Db) => Promise<T>, kept?: Kept): Promise<T>;
}

/** Turns of the event loop that jobs are gathered in, at most: a commit takes longer than these. */
const GATHER_LIMIT = 4;

/**
 * Shares commits between the jobs in flight, because a durable commit costs more than all else a job does. A process
 * has one for its database.
 */
export function createGroupCommit(db: Db): GroupCommit {
  const { isFarAway } = engineOf(db);
  const alone: Waiting[] = [];
  const beside: Waiting[] = [];
  let draining = false;

  async function drain(): Promise<void> {
    while (alone.length + beside.length > 0) {
      await gather(() => alone.length + beside.length);
      // Both kinds have their turns.
      if (beside.length > 0) await commitBeside(db, beside);
      if (alone.length > 0) await commitAlone(db, alone);
    }
    draining = false;
  }

  function run<T>(job: (tx: Db) => Promise<T>, kept?: Kept): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = async (tx: Db) => {
      const value = await job(tx);
      return () => resolve(value);
    };
    // Where the database is at hand nothing is gained by running jobs side by side.
    const queue = isFarAway && kept !== undefined ? beside : alone;
    queue.push({ start, reject, kept });
    if (!draining) {
      draining = true;
      void drain();
    }
    return promise;
  }

  return { run };
}

/** Waits for a turn of the event loop, and for some more while each brings further jobs. */
async function gather(count: () => number): Promise<void> {
  let before: number;
  let turns = 0;
  do {
    before = count();
    await nextTurn();
  } while (count() > before && ++turns < GATHER_LIMIT);
}

/** Takes jobs from the queue, those that arrive meanwhile included, and commits them together. Never rejects. */
async function commitAlone(db: Db, queue: Waiting[]): Promise<void> {
  const batch: Waiting[] = [];
  await settleAll(batch, async () => {
    try {
      return await transaction(db, (tx) => runInTurn(tx, batch, queue));
    } catch (error) {
      // If the transaction could not even begin, all that wait hear why: one after another they would wait for ever longer.
      if (batch.length === 0) batch.push(...queue.splice(0));
      throw error;
    }
  });
}

/** Takes jobs from the queue and commits them together; others, of other accounts, may go on beside. Never rejects. */
async function commitBeside(db: Db, queue: Waiting[]): Promise<void> {
  const batch = collectBatch(queue);
  let hasBegun = false;
  const begin = (tx: Db): Promise<readonly Settle[]> => {
    hasBegun = true;
    return runTogether(tx, batch);
  };
  const scope = { subjects: batch.flatMap(({ kept }) => [kept!.accountId, ...kept!.also ?? []]) };
  await settleAll(batch, async () => {
    try {
      return await transaction(db, begin, scope);
    } catch (error) {
      if (!hasBegun) batch.push(...queue.splice(0));
      if (!(error instanceof UndoneError)) throw error;
      return await commitAgain(db, batch, { scope, undone: error });
    }
  });
}

/** Those that had to be undone one after another; and all of them, where further ones have to be. */
async function commitAgain(
  db: Db,
  batch: readonly Waiting[],
  { scope, undone }: { readonly scope: Scope; readonly undone: UndoneError },
): Promise<readonly Settle[]> {
  try {
    return await transaction(db, (tx) => runMostTogether(tx, batch, undone), scope);
  } catch (error) {
    if (!(error instanceof UndoneError)) throw error;
    return await transaction(db, (tx) => runInTurn(tx, [...batch], []), scope);
  }
}

/** Tells each job's caller what came of it. */
async function settleAll(batch: readonly Waiting[], commit: () => Promise<readonly Settle[]>): Promise<void> {
  try {
    for (const settle of await commit()) settle();
  } catch (error) {
    for (const waiting of batch) waiting.reject(error);
  }
}
