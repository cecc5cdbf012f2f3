import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { statesToAccept } from "./accept-states.ts";
import { appendAll } from "./append.ts";
import { catchUp } from "./read-tail.ts";
import { removeCheckpoint } from "./checkpoint.ts";
import type { AuditDetails } from "./event.ts";
import type { AuditHead } from "./stored-entry.ts";
import { digestPart } from "./accepted-break.ts";
import { applyLogStatusEvent, listLogStatusEvents, unacknowledgedFaults } from "./log-status.ts";
import { watchOf } from "./log-head.ts";

/**
 * Records the fault that this process found, unless it is recorded already. Other processes then stop too, and a
 * restart does not lose it. The new entry becomes the known head, whatever precedes it. `db` must be the outer handle.
 */
export async function recordFault(db: Db, vault: Vault, at: Instant): Promise<void> {
  const watch = watchOf(db);
  const detection = await transaction(db, async (tx) => {
    const base = await catchUp(tx, vault);
    const { fault } = watch;
    if (fault === undefined || fault.detection !== undefined) return undefined;
    const { reason, entry, issuedAt } = fault;
    const event = { event: "log_fault_noticed", detail: { reason, entry, issuedAt }, ...NO_ACCOUNT } as const;
    return { fault, head: await appendAll(tx, vault, { base, all: [{ at, event }] }) };
  });
  // Keeps a fault that was found meanwhile.
  if (detection === undefined || watch.fault !== detection.fault) return;
  watch.known = detection.head;
  watch.statusEvent = detection.head.seq;
  watch.fault = { ...detection.fault, detection: detection.head };
}

const NO_ACCOUNT = { accountId: null, subject: null } as const;

export interface Acknowledgement {
  readonly cause: AuditDetails["rollback_acknowledged"]["cause"];
  /** The first broken entry, if any. From there to the acknowledgement, the log is accepted as it is. */
  readonly brokenAt: number | null;
  readonly now: Instant;
}

/**
 * Records an acknowledgement, after which recording resumes. All accounts see it in their activity. Receipts issued
 * until now, or until the latest time in a log-status entry, no longer count as faults. Returns the entry. `db` must
 * be the outer handle.
 */
export async function acknowledgeRollback(
  db: Db,
  vault: Vault,
  { cause, brokenAt, now }: Acknowledgement,
): Promise<AuditHead> {
  const statusEvent = await transaction(db, async (tx) => {
    const base = await catchUp(tx, vault);
    const statusEvents = await listLogStatusEvents(tx, vault, 0);
    const until = Math.max(now, ...statusEvents.map(latestInstant));
    const faults = unacknowledgedFaults(statusEvents).map(({ hash }) => hash.toHex()).join(" ");
    const broken = brokenAt === null ? null : await digestPart(tx, { from: brokenAt, to: base.seq + 1 });
    const detail = { cause, until, faults, brokenAt, broken };
    const event = { event: "rollback_acknowledged", detail, ...NO_ACCOUNT } as const;
    await removeCheckpoint(tx);
    const states = await statesToAccept(tx, vault, { brokenAt, at: now });
    const head = await appendAll(tx, vault, { base, all: [{ at: now, event }] });
    if (states.length > 0) await appendAll(tx, vault, { base: head, all: states });
    return { ...head, ...event };
  });
  applyLogStatusEvent(watchOf(db), statusEvent);
  return statusEvent;
}

function latestInstant(statusEvent: Awaited<ReturnType<typeof listLogStatusEvents>>[number]): Instant {
  return statusEvent.event === "rollback_acknowledged"
    ? statusEvent.detail.until
    : statusEvent.detail.issuedAt ?? 0;
}

/** Returns the first recorded fault that no operator acknowledged, or undefined. */
export async function findUnacknowledgedFault(
  db: Db,
  vault: Vault,
): Promise<AuditDetails["log_fault_noticed"] | undefined> {
  return unacknowledgedFaults(await listLogStatusEvents(db, vault, 0))[0]?.detail;
}
