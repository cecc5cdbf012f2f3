import { createLogScrubber, startLogScrubber } from "../../audit/log-scrubber.ts";
import { recordFault } from "../../audit/rollback.ts";
import type { AuditHead } from "../../audit/stored-entry.ts";
import { formatLogFault, watchOf } from "../../audit/log-head.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";

/**
 * Reports faults of the audit log in the service's log and in the audit log itself, so that other processes learn of
 * them. Returns a function that says why the service is not ready until the fault is acknowledged.
 */
export function watchLog(
  db: Db,
  { vault, now, log }: { readonly vault: Vault; readonly now: Clock; readonly log: Log },
): () => readonly string[] {
  const watch = watchOf(db);
  watch.onChange = (fault) => {
    if (fault === undefined) return log("warn", "audit_log_acknowledged", {});
    const { reason, entry } = fault;
    log("error", "audit_log_fault", { reason, entry });
    // In its own transaction: the one that found the fault is rolled back.
    recordFault(db, vault, now()).catch((error: unknown) =>
      log("error", "audit_failed", { error: String(error) })
    );
  };
  // The start may already have found a fault.
  if (watch.fault !== undefined) watch.onChange(watch.fault);
  return () => {
    const { fault } = watch;
    return fault === undefined
      ? []
      : [`the audit log was changed: ${formatLogFault(fault)}; see acknowledge-rollback`];
  };
}

export function scrubLog(
  db: Db,
  { from, log, ...context }: {
    readonly vault: Vault;
    readonly now: Clock;
    readonly log: Log;
    readonly from: AuditHead;
  },
): () => Promise<void> {
  log("info", "audit_log_proven", { entries: from.seq });
  return startLogScrubber(createLogScrubber(db, { ...context, from }), {
    stopwatch: () => performance.now(),
    log,
  });
}
