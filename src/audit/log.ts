import { atCommit, getTransactionState, setTransactionState } from "../db/transaction.ts";
import { hasScope, lockAuditLog } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { append, appendAll, hasAppended, type Recorded } from "./append.ts";
import type { AuditEvent } from "./event.ts";
import { refuseWhileStopped, see, stop, watchOf } from "./log-head.ts";
import { catchUp } from "./read-tail.ts";
import type { AuditHead } from "./stored-entry.ts";

/**
 * Appends an entry to the audit log in the caller's transaction, so that the entry and its cause are committed
 * together. It follows the last known entry, or entries that others appended meanwhile. Before the commit it is read
 * back. Throws `DatabaseError` `log_cut`, as does every later call, if the log contradicts this process's knowledge. A
 * transaction with a scope appends just before its commit, and may throw only then. Does not verify earlier entries:
 * `verifyAudit` and `readOn` do.
 */
export async function appendAudit(tx: Db, vault: Vault, at: Instant, event: AuditEvent): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot append to audit log: not in a transaction");
  const watch = watchOf(tx);
  // After its first append, the transaction sees its own uncommitted entries at the end of the log.
  const isFirst = !hasAppended(tx);
  if (isFirst && (watch.known === undefined || watch.fault !== undefined)) await catchUp(tx, vault);
  refuseWhileStopped(watch);
  if (hasScope(tx)) return appendLast(tx, vault, { at, event });
  if (await append(tx, vault, { base: watch.known!, at, event }) !== undefined) return;
  if (isFirst) {
    await catchUp(tx, vault);
    refuseWhileStopped(watch);
    if (await append(tx, vault, { base: watch.known!, at, event }) !== undefined) return;
  }
  stop(watch, "not_stored", watch.known!.seq + 1);
  refuseWhileStopped(watch);
}

const LAST = Symbol("audit entries before the commit");

/** Latest first. A linked list, so that a partial rollback drops the later ones. */
interface Wanted {
  readonly recorded: Recorded;
  readonly before: Wanted | undefined;
}

/** Appends an entry just before commit, so that the global log lock is held as briefly as possible. */
export function appendLast(tx: Db, vault: Vault, recorded: Recorded): void {
  const before = getTransactionState<Wanted>(tx, LAST);
  setTransactionState(tx, LAST, { recorded, before } satisfies Wanted);
  if (before !== undefined) return;
  let last: AuditHead | undefined;
  atCommit(tx, LAST, {
    before: async () => void (last = await writeAll(tx, vault)),
    after: () => see(watchOf(tx), last!),
  });
}

async function writeAll(tx: Db, vault: Vault): Promise<AuditHead> {
  const all: Recorded[] = [];
  for (let each = getTransactionState<Wanted>(tx, LAST); each !== undefined; each = each.before) {
    all.push(each.recorded);
  }
  // The read is sent together with the wait for the lock, and runs once the lock is held.
  const [, base] = await Promise.all([lockAuditLog(tx), catchUp(tx, vault)]);
  refuseWhileStopped(watchOf(tx));
  return await appendAll(tx, vault, { base, all: all.reverse() });
}
