import { createPatrol, startPatrol } from "../../audit/log-scrubber.ts";
import { recordFault } from "../../audit/rollback.ts";
import type { AuditHead } from "../../audit/stored-entry.ts";
import { faultWords, watchOf } from "../../audit/log-head.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";

/**
 * Has a fault of the audit log told in the service's own log, and in the audit log itself, so that other processes hear
 * of it too. Answers why the service should get no traffic, for as long as nobody has looked.
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
    // Not in the transaction that found it, which is rolled back.
    recordFault(db, vault, now()).catch((error: unknown) =>
      log("error", "audit_failed", { error: String(error) })
    );
  };
  // A start has looked already.
  if (watch.fault !== undefined) watch.onChange(watch.fault);
  return () => {
    const { fault } = watch;
    return fault === undefined
      ? []
      : [`the audit log is not as it was: ${faultWords(fault)}; see acknowledge-rollback`];
  };
}

/** Has the audit log walked through again and again beside everything else; answers what ends that. */
export function patrolLog(
  db: Db,
  { from, log, ...means }: {
    readonly vault: Vault;
    readonly now: Clock;
    readonly log: Log;
    /** How far a start has proven it. */
    readonly from: AuditHead;
  },
): () => Promise<void> {
  log("info", "audit_log_proven", { entries: from.seq });
  return startPatrol(createPatrol(db, { ...means, from }), { stopwatch: () => performance.now(), log });
}
