import { hasScope } from "../db/port.ts";
import type { Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { append, hasAppended } from "./append.ts";
import { appendLast } from "./append-last.ts";
import { catchUp } from "./catch-up.ts";
import type { AuditEvent } from "./event.ts";
import { refuseWhileStopped, stop, watchOf } from "./watch.ts";

/**
 * Appends an entry to the audit log in the caller's transaction, so that what it records and the entry are there
 * together or not at all; what the commit makes durable was read back first. The entry stands on the last one that this
 * process knows, or on those that others appended after it. Throws `DatabaseError` `log_cut`, and from then on for
 * whatever must be recorded, where the log is not as this process knows it; in a transaction with a scope, which appends
 * before its commit, some of it only then. Does not prove the entries below: `verifyAudit` and `readOn` do.
 */
export async function appendAudit(tx: Db, vault: Vault, at: Instant, event: AuditEvent): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot append to audit log: not in a transaction");
  const watch = watchOf(tx);
  // Once it has appended, the log ends for it with what is not committed yet.
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
