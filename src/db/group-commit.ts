import {
  collectBatch,
  isOfRows,
  runConcurrently,
  runExclusively,
  runMostConcurrently,
  runSequentially,
  UndoneError,
} from "./write-set.ts";
import type { PendingJob, SettleCaller, WriteSet } from "./write-set.ts";
import type { Scope } from "./engine.ts";
import { hasNotBegun } from "./error.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";
import { attemptTransaction, transaction } from "./transaction.ts";
import { yieldToEventLoop } from "../lib/cooperative.ts";
import { createMetrics, type Metrics } from "../lib/metrics.ts";

export interface GroupCommit {
  /**
   * Runs the job atomically and with exclusive access. Fulfils after the commit. If the job rejects, its writes are
   * rolled back and only its caller's promise rejects. If the commit fails, the promises of all callers in the
   * transaction reject, except if it failed for the rows of one job: then the others run again. The job must use only
   * its `tx` and must wait for nothing but the database, because all other jobs wait for it. It may run again after a
   * conflict. A job with `writeSet` may run concurrently with jobs whose write sets do not overlap, in other processes
   * too. A job without it runs alone.
   */
  run<T>(job: (tx: Db) => Promise<T>, writeSet?: WriteSet): Promise<T>;
}

/** The maximum number of event loop turns in which jobs are gathered. A commit takes longer than these. */
const GATHER_LIMIT = 4;

/**
 * Creates the queue that shares commits between jobs: a durable commit costs more than the rest of a job. A process
 * has one per database. Counts commits and waiting jobs in `metrics`.
 */
export function createGroupCommit(db: Db, metrics: Metrics = createMetrics(() => 0)): GroupCommit {
  const { isRemote } = engineOf(db);
  const exclusive: PendingJob[] = [];
  const concurrent: PendingJob[] = [];
  let draining = false;

  async function drain(): Promise<void> {
    while (exclusive.length + concurrent.length > 0) {
      await gather(() => exclusive.length + concurrent.length);
      if (concurrent.length > 0) await measured(commitConcurrent, concurrent);
      if (exclusive.length > 0) await measured(commitExclusive, exclusive);
    }
    draining = false;
  }

  async function measured(
    commit: (db: Db, queue: PendingJob[]) => Promise<number>,
    queue: PendingJob[],
  ): Promise<void> {
    const begun = metrics.stopwatch();
    const jobs = await commit(db, queue);
    metrics.count("holdfast_commits_total");
    metrics.observe("holdfast_commit_jobs", jobs);
    metrics.observeSince("holdfast_commit_duration_seconds", begun);
    metrics.set("holdfast_jobs_waiting", exclusive.length + concurrent.length);
  }

  function run<T>(job: (tx: Db) => Promise<T>, writeSet?: WriteSet): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = async (tx: Db) => {
      const value = await job(tx);
      return () => resolve(value);
    };
    // With a local database, concurrent jobs gain nothing.
    const queue = isRemote && writeSet !== undefined ? concurrent : exclusive;
    queue.push({ start, reject, writeSet });
    metrics.set("holdfast_jobs_waiting", exclusive.length + concurrent.length);
    if (!draining) {
      draining = true;
      void drain();
    }
    return promise;
  }

  return { run };
}

/** Waits one turn of the event loop, and a few more while each brings further jobs. */
async function gather(count: () => number): Promise<void> {
  let before: number;
  let rounds = 0;
  do {
    before = count();
    await yieldToEventLoop();
  } while (count() > before && ++rounds < GATHER_LIMIT);
}

/** Commits queued jobs together, including those that arrive meanwhile. Returns their number. Never rejects. */
async function commitExclusive(db: Db, queue: PendingJob[]): Promise<number> {
  const batch: PendingJob[] = [];
  await settleAll(db, batch, async () => {
    try {
      return await transaction(db, (tx) => runExclusively(tx, batch, queue));
    } catch (error) {
      // If the transaction could not begin, reject all queued jobs. One after another, they would wait ever longer.
      if (batch.length === 0 || hasNotBegun(error)) batch.push(...queue.splice(0));
      throw error;
    }
  });
  return batch.length;
}

/** Like `commitExclusive`, concurrently with other processes' jobs of other accounts. */
async function commitConcurrent(db: Db, queue: PendingJob[]): Promise<number> {
  const batch = collectBatch(queue);
  let hasBegun = false;
  const begin = (tx: Db): Promise<readonly SettleCaller[]> => {
    hasBegun = true;
    return runConcurrently(tx, batch);
  };
  const beginAlone = async (tx: Db): Promise<readonly SettleCaller[]> => {
    hasBegun = true;
    return [await batch[0]!.start(tx)];
  };
  const scope = {
    subjects: batch.flatMap(({ writeSet }) => [writeSet!.accountId, ...writeSet!.extraKeys ?? []]),
  };
  await settleAll(db, batch, async () => {
    try {
      const attempted = mayAttempt(batch) ? await attemptTransaction(db, beginAlone, scope) : undefined;
      return attempted?.value ?? await transaction(db, begin, scope);
    } catch (error) {
      if (!hasBegun || hasNotBegun(error)) batch.push(...queue.splice(0));
      if (!(error instanceof UndoneError)) throw error;
      return await commitAgain(db, batch, { scope, undone: error });
    }
  });
  return batch.length;
}

function mayAttempt([first, ...more]: readonly PendingJob[]): boolean {
  return more.length === 0 && first!.writeSet!.isLogged !== false;
}

/** Commits again, with the undone jobs run sequentially; if further ones must be undone, with all of them. */
async function commitAgain(
  db: Db,
  batch: readonly PendingJob[],
  { scope, undone }: { readonly scope: Scope; readonly undone: UndoneError },
): Promise<readonly SettleCaller[]> {
  try {
    return await transaction(db, (tx) => runMostConcurrently(tx, batch, undone), scope);
  } catch (error) {
    if (!(error instanceof UndoneError)) throw error;
    return await transaction(db, (tx) => runSequentially(tx, [...batch], []), scope);
  }
}

/**
 * Settles the callers of a batch after its commit. If the commit failed for a fault of one job's rows, such as those of
 * an account that do not add up, commits each job alone, so that the others do not fail with it.
 */
async function settleAll(
  db: Db,
  batch: readonly PendingJob[],
  commit: () => Promise<readonly SettleCaller[]>,
): Promise<void> {
  try {
    for (const settle of await commit()) settle();
  } catch (error) {
    if (batch.length > 1 && isOfRows(error)) {
      for (const job of batch) await settleAll(db, [job], () => commitAlone(db, job));
    } else for (const pendingJob of batch) pendingJob.reject(error);
  }
}

async function commitAlone(db: Db, job: PendingJob): Promise<readonly SettleCaller[]> {
  return [await transaction(db, (tx) => job.start(tx))];
}
