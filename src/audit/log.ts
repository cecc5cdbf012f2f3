import { attemptOf, awaitLater, STALE } from "../db/attempt.ts";
import { engineState } from "../db/engine-state.ts";
import { hasScope, lockAuditLog } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import { atCommit, getTransactionState, setTransactionState } from "../db/transaction.ts";
import type { Clock, Instant } from "../lib/time.ts";
import { stateTagsOf } from "../store/state/state-tags.ts";
import { SERVICE } from "../store/state/kinds.ts";
import { writeStates, type WrittenStates } from "../store/state/write-states.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { type Appended, appendIfLast, canCheckItself, type Recorded, sendAll } from "./append.ts";
import type { AuditEvent } from "./event.ts";
import { refuseWhileStopped, see, watchOf } from "./log-head.ts";
import { advance, noteState } from "./follow-states.ts";
import { catchUp } from "./read-tail.ts";

/**
 * Records an event in the caller's transaction, so that the entry and its cause are committed together. The entry is
 * written just before the commit, so that the lock of the log is held as briefly as possible, and read back. Throws
 * `DatabaseError` `log_cut`, at once or at the commit, as does every later call, if the log contradicts this process's
 * knowledge.
 */
export async function appendAudit(tx: Db, vault: Vault, at: Instant, event: AuditEvent): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot append to audit log: not in a transaction");
  const watch = watchOf(tx);
  const earlier = getTransactionState<Wanted>(tx, WANTED);
  // Another process may have recorded an acknowledgement.
  if (earlier === undefined && watch.fault !== undefined) await catchUp(tx, vault);
  refuseWhileStopped(watch);
  setTransactionState(tx, WANTED, { recorded: { at, event }, earlier } satisfies Wanted);
  writeAtCommit(tx, vault);
}

const WANTED = Symbol("audit entries before the commit");

/** Latest first. A linked list, so that a partial rollback drops the later ones. */
interface Wanted {
  readonly recorded: Recorded;
  readonly earlier: Wanted | undefined;
}

interface StateWriter {
  readonly authority: RowAuthority;
  readonly now: Clock;
}

const STATES = Symbol("writer of states");

/** Registers the writing of changed states, and of an entry of each owner that names the new one, before the commit. */
export function logStates(tx: Db, vault: Vault, writer: StateWriter): void {
  setTransactionState(tx, STATES, writer);
  writeAtCommit(tx, vault);
}

const LISTENERS = Symbol("listeners to new entries");

function listenersOf(db: Db): Set<() => void> {
  return engineState(db, LISTENERS, (): Set<() => void> => new Set());
}

/** Calls `wake` after each commit in this process that appended entries. Returns an unsubscribe function. */
export function onAppended(db: Db, wake: () => void): () => void {
  listenersOf(db).add(wake);
  return () => void listenersOf(db).delete(wake);
}

const WRITING = Symbol("writing of states and audit entries");

function writeAtCommit(tx: Db, vault: Vault): void {
  let done = (): void => {};
  atCommit(tx, WRITING, {
    before: async () => {
      const { verified, committed } = await writeAll(tx, vault);
      done = committed;
      return { verified };
    },
    after: () => done(),
  });
}

/** Writes states and entries. Returns their check, and what to do after it and the commit. */
async function writeAll(
  tx: Db,
  vault: Vault,
): Promise<Pick<Appended, "verified"> & { readonly committed: () => void }> {
  const watch = watchOf(tx);
  refuseWhileStopped(watch);
  const writer = getTransactionState<StateWriter>(tx, STATES);
  const states = writer && await writeStates(tx, writer.authority);
  const all = withStates(recordedIn(tx), states, () => writer!.now());
  const { last, verified } = await appendEntries(tx, vault, all, states?.written);
  const committed = (): void => {
    see(watch, last);
    for (const wake of listenersOf(tx)) wake();
    // Another transaction may have read these entries already, and newer ones.
    if (advance(tx, last)) {
      for (const recorded of all) {
        noteState(stateTagsOf(tx).table, stateOf(recorded));
      }
    }
    states?.committed();
  };
  return { verified, committed };
}

function recordedIn(tx: Db): readonly Recorded[] {
  const all: Recorded[] = [];
  for (let each = getTransactionState<Wanted>(tx, WANTED); each !== undefined; each = each.earlier) {
    all.push(each.recorded);
  }
  return all.reverse();
}

/** Appends after the entry that this process knows as the last, or after what others appended meanwhile. */
async function appendEntries(
  tx: Db,
  vault: Vault,
  all: readonly Recorded[],
  written: Promise<unknown> | undefined,
): Promise<Appended> {
  const { known } = watchOf(tx);
  const attempt = attemptOf(tx);
  if (attempt !== undefined && known?.seq === (attempt.reliesOn ?? stateTagsOf(tx).seq)) {
    attempt.isLogChecked = true;
    awaitLater(attempt, lockAuditLog(tx));
    return await sendAll(tx, vault, { base: known, all });
  }
  if (attempt?.reliesOn !== undefined) throw STALE;
  if (!canCheckItself(tx) && !hasScope(tx) && known !== undefined && known.seq === stateTagsOf(tx).seq) {
    await written;
    const last = await appendIfLast(tx, vault, { base: known, all });
    if (last !== undefined) return { last, verified: undefined };
  }
  // The read is sent together with the states and the wait for the lock, and runs once the lock is held.
  const [, , base] = await Promise.all([written, lockAuditLog(tx), catchUp(tx, vault)]);
  refuseWhileStopped(watchOf(tx));
  return await sendAll(tx, vault, { base, all });
}

function stateOf({ event, state }: Recorded): Parameters<typeof noteState>[1] {
  return { account_id: event.accountId, state: state ?? null };
}

/** Names the new state of each owner in the last entry of that owner, or in one of its own. */
function withStates(
  recorded: readonly Recorded[],
  states: WrittenStates | undefined,
  now: Clock,
): readonly Recorded[] {
  if (states === undefined) return recorded;
  const all = [...recorded];
  for (const [owner, tag] of states.tags) {
    const accountId = owner === SERVICE ? null : owner;
    const state = tag ?? new Uint8Array();
    const index = all.findLastIndex(({ event }) => event.accountId === accountId);
    if (index < 0) {
      const event = { event: "state_changed", accountId, subject: null, detail: {} } as const;
      all.push({ at: recorded.at(-1)?.at ?? now(), event, state });
    } else {
      all[index] = { ...all[index]!, state };
    }
  }
  return all;
}
