import { atCommit, recall, remember } from "../db/transaction.ts";
import { hasScope, takePen } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { append, appendAll, hasAppended } from "./append.ts";
import type { Recorded } from "./append.ts";
import type { AuditEvent } from "./event.ts";
import { refuseWhileStopped, see, stop, watchOf } from "./log-head.ts";
import { catchUp } from "./read-tail.ts";
import type { AuditHead } from "./stored-entry.ts";

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

const LAST = Symbol("audit entries before the commit");

/** What a transaction is to record, the latest first: a chain, so that what is rolled back is dropped. */
interface Wanted {
  readonly recorded: Recorded;
  readonly before: Wanted | undefined;
}

/**
 * Has an entry appended as the last thing that a transaction with a scope does. Only then does it wait for the pen, of
 * which there is one for all processes: nobody waits for what it did before.
 */
export function appendLast(tx: Db, vault: Vault, recorded: Recorded): void {
  const before = recall<Wanted>(tx, LAST);
  remember(tx, LAST, { recorded, before } satisfies Wanted);
  if (before !== undefined) return;
  let last: AuditHead | undefined;
  atCommit(tx, LAST, {
    before: async () => void (last = await writeAll(tx, vault)),
    after: () => see(watchOf(tx), last!),
  });
}

async function writeAll(tx: Db, vault: Vault): Promise<AuditHead> {
  const all: Recorded[] = [];
  for (let each = recall<Wanted>(tx, LAST); each !== undefined; each = each.before) all.push(each.recorded);
  // The look goes to the database with the wait for the pen, and is done when that is over.
  const [, base] = await Promise.all([takePen(tx), catchUp(tx, vault)]);
  refuseWhileStopped(watchOf(tx));
  return await appendAll(tx, vault, { base, all: all.reverse() });
}
