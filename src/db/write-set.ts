import { CompiledQuery } from "kysely";
import { DatabaseError, type DatabaseErrorCode } from "./error.ts";
import { copyTransactionState, restoreTransactionState } from "./transaction.ts";
import { runCompiled, trackWrites } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** A callback that settles the promise of a job's caller. */
export type SettleCaller = () => void;

/** The accounts and single rows a job writes, excluding the audit log. */
export interface WriteSet {
  readonly accountId: string;
  /** Names of rows that belong to no account. Each is written by one statement that reads nothing else first. */
  readonly extraKeys?: readonly string[];
  /** False if the job appends nothing to the audit log. An attempt that relies on memory would then fail. */
  readonly isLogged?: false;
}

export interface PendingJob {
  /** Runs the job. Returns the callback to call after the commit. Rejects if the job rejects. */
  readonly start: (tx: Db) => Promise<SettleCaller>;
  readonly reject: (error: unknown) => void;
  /** Undefined if the job may write any row. */
  readonly writeSet: WriteSet | undefined;
}

/** The maximum number of jobs in a transaction. More would delay the first response for little gain. */
const BATCH_LIMIT = 100;

const SAVEPOINT = CompiledQuery.raw("savepoint job");
const ROLLBACK_TO = CompiledQuery.raw("rollback to job");
const RELEASE = CompiledQuery.raw("release job");

/** Removes one transaction's worth of jobs from the queue. */
export function collectBatch(queue: PendingJob[]): PendingJob[] {
  return queue.splice(0, BATCH_LIMIT);
}

/**
 * Runs the batch's jobs from a position on sequentially, then those that arrive in the queue meanwhile. It adds the
 * latter to `batch`. If the engine runs the transaction again after a conflict, they run again, and more may join.
 */
export async function runSequentially(
  tx: Db,
  batch: PendingJob[],
  queue: PendingJob[],
  from = 0,
): Promise<readonly SettleCaller[]> {
  const settlements: SettleCaller[] = [];
  let hasSavepoint = false;
  const runNext = async (pendingJob: PendingJob): Promise<void> => {
    // The last savepoint ends with the transaction.
    const steps = hasSavepoint ? [RELEASE, SAVEPOINT] : [SAVEPOINT];
    hasSavepoint = true;
    // Sent to the database together with the job's first statement.
    const begun = Promise.all(steps.map((step) => runCompiled(tx, step)));
    settlements.push(await runInSavepoint(tx, pendingJob, begun));
  };
  for (const pendingJob of batch.slice(from)) await runNext(pendingJob);
  while (queue.length > 0 && batch.length < BATCH_LIMIT) {
    const pendingJob = queue.shift()!;
    batch.push(pendingJob);
    await runNext(pendingJob);
  }
  return settlements;
}

/**
 * Like `runSequentially`, for a whole transaction. If its first job is the only one, it has no savepoint: if it
 * rejects, so does the transaction.
 */
export async function runExclusively(
  tx: Db,
  batch: PendingJob[],
  queue: PendingJob[],
): Promise<readonly SettleCaller[]> {
  if (batch.length === 0 && queue.length === 1) batch.push(queue.shift()!);
  if (batch.length !== 1) return await runSequentially(tx, batch, queue);
  const settle = await batch[0]!.start(tx);
  return [settle, ...await runSequentially(tx, batch, queue, 1)];
}

/** Runs a job within a savepoint. Rejects only if the whole transaction is lost. */
async function runInSavepoint(
  tx: Db,
  pendingJob: PendingJob,
  begun: Promise<unknown>,
): Promise<SettleCaller> {
  const saved = copyTransactionState(tx);
  const [ran, ready] = await Promise.allSettled([pendingJob.start(tx), begun]);
  if (ready.status === "rejected") throw ready.reason;
  if (ran.status === "fulfilled") return ran.value;
  const error: unknown = ran.reason;
  // The whole transaction runs again.
  if (isConflict(error)) throw error;
  await runCompiled(tx, ROLLBACK_TO).catch(() => {
    // After some errors the engine has rolled back the whole transaction. Report the job's error then.
    throw error;
  });
  restoreTransactionState(tx, saved);
  return () => pendingJob.reject(error);
}

function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "conflict";
}

/** An error that rolls back concurrent jobs. Those in `jobs` must run sequentially: they cannot be undone alone. */
export class UndoneError extends Error {
  readonly jobs: ReadonlySet<PendingJob>;

  constructor(jobs: Iterable<PendingJob>) {
    super("Cannot run jobs side by side: some of them are to be undone");
    this.name = "UndoneError";
    this.jobs = new Set(jobs);
  }
}

const OF_ROWS: ReadonlySet<DatabaseErrorCode> = new Set(["inconsistent", "wrong_row", "not_written"]);

/** Database faults that concern one job's rows or statement only. */
const OF_ONE_JOB: ReadonlySet<DatabaseErrorCode> = new Set([...OF_ROWS, "damaged", "busy"]);

/** Returns true for a fault that concerns some rows only, so that jobs with other rows can still be committed. */
export function isOfRows(error: unknown): boolean {
  return error instanceof DatabaseError && OF_ROWS.has(error.code);
}

/**
 * Runs jobs concurrently, except that those of one account run sequentially. Their statements reach the database
 * together. A job that rejects without having written rejects only its caller. Otherwise this function rejects with
 * `UndoneError`.
 */
export async function runConcurrently(
  tx: Db,
  batch: readonly PendingJob[],
): Promise<readonly SettleCaller[]> {
  const last = new Map<string | undefined, Promise<unknown>>();
  const outcomes = batch.map((pendingJob) => {
    const accountId = pendingJob.writeSet?.accountId;
    const outcome = (last.get(accountId) ?? Promise.resolve()).then(() => runConcurrent(tx, pendingJob));
    last.set(accountId, outcome.catch(() => {}));
    return outcome;
  });
  // Waits for all of them: none may run on after this function has returned.
  const settled = await Promise.allSettled(outcomes);
  const lost = settled.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
  // Further errors may follow from the first one.
  const fault = lost.find((reason) => !(reason instanceof UndoneError));
  if (fault !== undefined) throw fault;
  if (lost.length > 0) throw new UndoneError(lost.flatMap(({ jobs }: UndoneError) => [...jobs]));
  return settled.map((outcome) => (outcome as PromiseFulfilledResult<SettleCaller>).value);
}

/** Like `runConcurrently`, except that the jobs to undo run sequentially after the others. */
export async function runMostConcurrently(
  tx: Db,
  batch: readonly PendingJob[],
  { jobs }: UndoneError,
): Promise<readonly SettleCaller[]> {
  const settlements = await runConcurrently(tx, batch.filter((pendingJob) => !jobs.has(pendingJob)));
  return [...settlements, ...await runSequentially(tx, [...jobs], [])];
}

async function runConcurrent(tx: Db, pendingJob: PendingJob): Promise<SettleCaller> {
  let hasWritten = false;
  try {
    return await pendingJob.start(trackWrites(tx, () => hasWritten = true));
  } catch (error) {
    if (error instanceof DatabaseError && !OF_ONE_JOB.has(error.code)) throw error;
    if (hasWritten) throw new UndoneError([pendingJob]);
    return () => pendingJob.reject(error);
  }
}
