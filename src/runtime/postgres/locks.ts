import type { Scope } from "../../db/engine.ts";

/** The key of the advisory lock that every writing transaction has to itself, or shares: any number that stays the same. */
const WRITE_LOCK = 7_233_177_141;
/** The first of the two keys of a subject's lock. Pairs of keys are apart from single ones. */
const SUBJECT_LOCKS = 7233;
/** The key of the lock of what belongs to no subject. */
const PEN = 7_233_177_142;

/**
 * The write lock, shared, and then that of each subject, in one statement: so that all of them together are waited for
 * no longer than a statement may take, and the driver hears of it before it gives the server up. It answers no rows.
 */
function lockScope({ subjects }: Scope): string {
  // In one order for all, so that no two ever wait for each other. Two subjects that share a key only wait in vain.
  const keys = [...new Set(subjects.map(keyOf))].sort((a, b) => a - b);
  return `select from unnest(array[${["null", ...keys].join()}]::integer[]) as key where case when key is null
    then pg_advisory_xact_lock_shared(${WRITE_LOCK}) else pg_advisory_xact_lock(${SUBJECT_LOCKS}, key) end is null`;
}

/** FNV-1a of a text's units, as a 32-bit integer with its sign. */
function keyOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < subject.length; index++) {
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}

/**
 * The locks come before the first look: each statement sees what was committed before it began (READ COMMITTED), and
 * nobody commits what it may look at between two of them, so that what a transaction has read is so until its end. A
 * stricter isolation would look before it has the lock, and give up where it now waits its turn.
 *
 * Without a scope it has the write lock to itself; with one it shares it with others that have one, and has the locks of
 * its subjects to itself. Whoever has the write lock whole therefore meets neither.
 */
export function beginWriting(scope: Scope | undefined): string {
  const locks = scope === undefined ? `select pg_advisory_xact_lock(${WRITE_LOCK})` : lockScope(scope);
  return `begin isolation level read committed read write; ${locks}`;
}

/** Waited for last of all locks, and by nobody who holds it. */
export const TAKE_PEN = `select pg_advisory_xact_lock(${PEN})`;
