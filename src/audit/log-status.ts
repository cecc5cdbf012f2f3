import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { type BrokenPart, isAcceptedBreakUnchanged } from "./accepted-break.ts";
import { type AuditHead, linkedEntries, type StoredEntry, verifiedEntry } from "./stored-entry.ts";
import type { LogWatch } from "./log-head.ts";

/** Log-status events: fault detected, fault acknowledged. */
export const LOG_STATUS_EVENTS = ["log_fault_noticed", "rollback_acknowledged"] as const;

export type LogStatusEvent =
  & { readonly seq: number; readonly hash: Uint8Array }
  & (
    | { readonly event: "log_fault_noticed"; readonly detail: AuditDetails["log_fault_noticed"] }
    | { readonly event: "rollback_acknowledged"; readonly detail: AuditDetails["rollback_acknowledged"] }
  );

export function isLogStatusEvent({ event }: Pick<StoredEntry, "event">): boolean {
  return LOG_STATUS_EVENTS.some((statusEvent) => statusEvent === event);
}

/** Reads a log-status entry; undefined for any other. The caller must have verified the entry. */
export function readLogStatusEvent({ seq, event, detail, hash }: StoredEntry): LogStatusEvent | undefined {
  const known = LOG_STATUS_EVENTS.find((statusEvent) => statusEvent === event);
  return known &&
    { seq: Number(seq), hash, event: known, detail: JSON.parse(detail) } as LogStatusEvent | undefined;
}

const selectLogStatusEvents = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  linkedEntries(db)
    // The literals are written as in the index.
    .where("audit_event.event", "in", LOG_STATUS_EVENTS.map((statusEvent) => sql.lit(statusEvent)))
    .where("audit_event.seq", ">", slot("seq"))
    .orderBy("audit_event.seq")
);

/** Lists the log-status entries after an entry, oldest first. Skips entries that are not authentic. */
export async function listLogStatusEvents(
  db: Db,
  vault: Vault,
  after: number,
): Promise<readonly LogStatusEvent[]> {
  const statusEvents: LogStatusEvent[] = [];
  for (const row of await selectLogStatusEvents(db, { seq: after })) {
    const entry = verifiedEntry(vault, row);
    if (entry !== undefined) statusEvents.push(readLogStatusEvent(entry)!);
  }
  return statusEvents;
}

type FaultDetected = Extract<LogStatusEvent, { readonly event: "log_fault_noticed" }>;
type FaultAcknowledged = Extract<LogStatusEvent, { readonly event: "rollback_acknowledged" }>;

/** Returns true if the acknowledgement names this fault. One copied from another history names others. */
export function acknowledges({ detail }: FaultAcknowledged, detection: Pick<AuditHead, "hash">): boolean {
  return detail.faults.split(" ").includes(detection.hash.toHex());
}

function brokenPart(
  { seq, detail: { brokenAt, broken } }: FaultAcknowledged,
): BrokenPart | undefined {
  return brokenAt === null || broken === null ? undefined : { from: brokenAt, to: seq, digest: broken };
}

/** Returns the accepted part that starts at an entry, if it is unchanged, and its acknowledgement. */
export async function findAcceptedBreak(
  db: Db,
  vault: Vault,
  from: number,
): Promise<{ readonly part: BrokenPart; readonly head: AuditHead } | undefined> {
  for (const statusEvent of await listLogStatusEvents(db, vault, from)) {
    const part = statusEvent.event === "rollback_acknowledged" ? brokenPart(statusEvent) : undefined;
    if (part?.from === from && await isAcceptedBreakUnchanged(db, part)) return { part, head: statusEvent };
  }
  return undefined;
}

/** Returns the recorded faults that no operator acknowledged, oldest first. */
export function unacknowledgedFaults(statusEvents: readonly LogStatusEvent[]): readonly FaultDetected[] {
  let unacknowledged: readonly FaultDetected[] = [];
  for (const statusEvent of statusEvents) {
    if (statusEvent.event === "log_fault_noticed") unacknowledged = [...unacknowledged, statusEvent];
    else if (unacknowledged.length > 0 && acknowledges(statusEvent, unacknowledged[0]!)) unacknowledged = [];
  }
  return unacknowledged;
}

/** Applies a log-status entry: stops or resumes recording. A fault of this process that is not recorded yet stays. */
export function applyLogStatusEvent(watch: LogWatch, statusEvent: LogStatusEvent): void {
  const { seq, hash, event, detail } = statusEvent;
  if (seq <= watch.statusEvent) return;
  watch.statusEvent = seq;
  if (event === "log_fault_noticed") {
    if (watch.fault !== undefined) return;
    watch.fault = { ...detail, detection: { seq, hash } };
    return watch.onChange(watch.fault);
  }
  const detection = watch.fault?.detection;
  if (detection !== undefined && !acknowledges(statusEvent, detection)) return;
  watch.acknowledged = seq;
  // Another history may count from now on.
  watch.followed = undefined;
  watch.coveredUntil = Math.max(watch.coveredUntil, detail.until);
  const acceptedBreak = brokenPart(statusEvent);
  if (acceptedBreak !== undefined) Object.assign(watch, { trustedFrom: { seq, hash }, acceptedBreak });
  if (detection === undefined) return;
  watch.fault = undefined;
  watch.onChange(undefined);
}
