import type { Scope } from "../../db/engine.ts";

/** Key of the advisory lock of writing transactions, exclusive or shared. Any constant. */
const WRITE_LOCK = 7_233_177_141;
/** First key of a subject's lock. Pairs of keys do not collide with single keys. */
const SUBJECT_LOCKS = 7233;
/** Key of the lock for data that belongs to no subject. */
const AUDIT_LOG_LOCK = 7_233_177_142;

/**
 * Returns a statement that takes the write lock shared, then each subject's lock. One statement, so that the wait is
 * limited as a whole and the server's time-out comes before the driver's. It returns no rows.
 */
function lockScope({ subjects }: Scope): string {
  // Sorted, to prevent deadlocks. A collision of two subjects' keys only causes a needless wait.
  const lockKeys = [...new Set(subjects.map(lockKeyOf))].sort((a, b) => a - b);
  return `select from unnest(array[${
    ["null", ...lockKeys].join()
  }]::integer[]) as key where case when key is null
    then pg_advisory_xact_lock_shared(${WRITE_LOCK}) else pg_advisory_xact_lock(${SUBJECT_LOCKS}, key) end is null`;
}

/** Returns FNV-1a of a text's UTF-16 code units as a signed 32-bit integer. */
function lockKeyOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < subject.length; index++) {
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}

/**
 * Returns the statements that begin a writing transaction and take its locks. Without a scope it takes the write lock
 * exclusively. With one it shares the write lock and takes its subjects' locks.
 *
 * The locks come before the first read. READ COMMITTED reads what was committed before each statement. No other
 * transaction commits rows of the scope meanwhile, so that reads stay valid until the end. A stricter isolation would
 * take its snapshot before the lock, and fail instead of waiting.
 */
export function beginWriting(scope: Scope | undefined): string {
  const locks = scope === undefined ? `select pg_advisory_xact_lock(${WRITE_LOCK})` : lockScope(scope);
  return `begin isolation level read committed read write; ${locks}`;
}

/** The last lock that a transaction takes. */
export const LOCK_AUDIT_LOG = `select pg_advisory_xact_lock(${AUDIT_LOG_LOCK})`;
