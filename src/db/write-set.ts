import { CompiledQuery } from "kysely";
import { DatabaseError } from "./error.ts";
import type { DatabaseErrorCode } from "./error.ts";
import { knownIn, recallOnly } from "./transaction.ts";
import { noting, runCompiled } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** Tells a job's caller what came of it. */
export type Settle = () => void;

/** All that a job writes, besides the audit log. */
export interface Kept {
  /** Whose rows. */
  readonly accountId: string;
  /** Rows that are no account's, by names: each is written by one statement that needs no other look at it. */
  readonly also?: readonly string[];
}

/** A job that waits for its transaction. */
export interface Waiting {
  /** Runs the job and returns what tells its caller, for after the commit. Rejects with what the job rejects with. */
  readonly start: (tx: Db) => Promise<Settle>;
  readonly reject: (error: unknown) => void;
  /** All that it writes; undefined where it may write anything. */
  readonly kept: Kept | undefined;
}

/** Jobs in one transaction: more would delay the first one's answer for little gain. */
const BATCH_LIMIT = 100;

const SAVEPOINT = CompiledQuery.raw("savepoint job");
const ROLLBACK_TO = CompiledQuery.raw("rollback to job");
const RELEASE = CompiledQuery.raw("release job");

/** Takes as many jobs from the queue as one transaction may have. */
export function collectBatch(queue: Waiting[]): Waiting[] {
  return queue.splice(0, BATCH_LIMIT);
}

/**
 * Runs the jobs of a batch one after another, and those that arrive in the queue meanwhile: they are of the batch from
 * then on. Where an engine runs it again, after another process came in between: those that are taken already, and more.
 */
export async function runInTurn(tx: Db, batch: Waiting[], queue: Waiting[]): Promise<readonly Settle[]> {
  const settlements: Settle[] = [];
  const runNext = async (waiting: Waiting): Promise<void> => {
    // The last one is over with the transaction.
    const steps = settlements.length === 0 ? [SAVEPOINT] : [RELEASE, SAVEPOINT];
    // They go to the database with what the job asks first.
    const begun = Promise.all(steps.map((step) => runCompiled(tx, step)));
    settlements.push(await runApart(tx, waiting, begun));
  };
  for (const waiting of batch) await runNext(waiting);
  while (queue.length > 0 && batch.length < BATCH_LIMIT) {
    const waiting = queue.shift()!;
    batch.push(waiting);
    await runNext(waiting);
  }
  return settlements;
}

/** What tells the job's caller the outcome. Rejects only when the transaction as a whole is lost. */
async function runApart(tx: Db, waiting: Waiting, begun: Promise<unknown>): Promise<Settle> {
  const known = knownIn(tx);
  const [ran, ready] = await Promise.allSettled([waiting.start(tx), begun]);
  if (ready.status === "rejected") throw ready.reason;
  if (ran.status === "fulfilled") return ran.value;
  const error: unknown = ran.reason;
  // The whole of it is run again.
  if (isConflict(error)) throw error;
  await runCompiled(tx, ROLLBACK_TO).catch(() => {
    // After some errors the engine has rolled back all of it: that error is the one to tell.
    throw error;
  });
  recallOnly(tx, known);
  return () => waiting.reject(error);
}

function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "conflict";
}

/** Why a transaction is undone: there is no taking back what these jobs alone wrote. They are to be run by themselves. */
export class UndoneError extends Error {
  readonly jobs: ReadonlySet<Waiting>;

  constructor(jobs: Iterable<Waiting>) {
    super("Cannot run jobs side by side: some of them are to be undone");
    this.name = "UndoneError";
    this.jobs = new Set(jobs);
  }
}

/** Faults of a database that are found in one job's rows or at its statement, and at no other's. */
const OF_ONE_JOB: ReadonlySet<DatabaseErrorCode> = new Set(["wrong_row", "not_written", "damaged", "busy"]);

/**
 * Runs jobs side by side, those of one account one after another: what they ask for goes to the database together. A
 * job that rejects and has written nothing is its caller's matter alone; otherwise this rejects with `UndoneError`.
 */
export async function runTogether(tx: Db, batch: readonly Waiting[]): Promise<readonly Settle[]> {
  const last = new Map<string | undefined, Promise<unknown>>();
  const outcomes = batch.map((waiting) => {
    const accountId = waiting.kept?.accountId;
    const outcome = (last.get(accountId) ?? Promise.resolve()).then(() => runBeside(tx, waiting));
    last.set(accountId, outcome.catch(() => {}));
    return outcome;
  });
  // None of them goes on when this is over.
  const settled = await Promise.allSettled(outcomes);
  const lost = settled.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
  // Beside what failed of itself there is what failed because of it.
  const fault = lost.find((reason) => !(reason instanceof UndoneError));
  if (fault !== undefined) throw fault;
  if (lost.length > 0) throw new UndoneError(lost.flatMap(({ jobs }: UndoneError) => [...jobs]));
  return settled.map((outcome) => (outcome as PromiseFulfilledResult<Settle>).value);
}

/** As `runTogether`, but for those that had to be undone: they come after the others, one after another. */
export async function runMostTogether(
  tx: Db,
  batch: readonly Waiting[],
  { jobs }: UndoneError,
): Promise<readonly Settle[]> {
  const settlements = await runTogether(tx, batch.filter((waiting) => !jobs.has(waiting)));
  return [...settlements, ...await runInTurn(tx, [...jobs], [])];
}

async function runBeside(tx: Db, waiting: Waiting): Promise<Settle> {
  let isTouched = false;
  try {
    return await waiting.start(noting(tx, () => isTouched = true));
  } catch (error) {
    if (error instanceof DatabaseError && !OF_ONE_JOB.has(error.code)) throw error;
    if (isTouched) throw new UndoneError([waiting]);
    return () => waiting.reject(error);
  }
}
