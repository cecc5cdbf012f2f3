import { DatabaseError } from "../db/error.ts";
import { engineState } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { BrokenPart } from "./accepted-break.ts";
import { type AuditHead, BEGINNING } from "./stored-entry.ts";

/**
 * The reason of a log fault. `not_stored`: a written entry is not there. `cut`: the log ends before an entry that this
 * process knows. `replaced`: another entry is in its place. `missing`, `altered` and `forged`: as in `AuditFault`.
 * `receipt`: a client presented a receipt for an entry that the log lacks.
 */
export type LogFaultReason =
  | "not_stored"
  | "cut"
  | "replaced"
  | "missing"
  | "altered"
  | "forged"
  | "receipt";

/** A fault that stops recording until an operator acknowledges it. */
export interface LogFault {
  readonly reason: LogFaultReason;
  /** The number of the entry that is missing or differs. */
  readonly entry: number;
  /** The issue time of the log receipt, if one revealed the fault. */
  readonly issuedAt: Instant | null;
  /** The entry that recorded the fault; undefined before. */
  readonly detection: AuditHead | undefined;
}

/** This process's knowledge of a database's log. */
export interface LogWatch {
  /** The last entry read or written, which the log must contain from then on; undefined before the first read. */
  known: AuditHead | undefined;
  /** The last entry whose states are in `stateTagsOf`; undefined before the first read. */
  followed: AuditHead | undefined;
  fault: LogFault | undefined;
  /** The time of the scrubber's last step that found no fault; 0 before. */
  verifiedAt: Instant;
  /** The entry up to which the scrubber's present pass has verified the whole log. */
  scrubbed: number;
  /** The newest log-status entry read; 0 for none. */
  statusEvent: number;
  /** The newest acknowledgement read; 0 for none. */
  acknowledged: number;
  /** Receipts issued before this time may refer to lost entries: an operator acknowledged the loss. */
  coveredUntil: Instant;
  /** The entry from which the log must be sound: the beginning, unless an operator accepted a broken log. */
  trustedFrom: AuditHead;
  /** The broken part before it, which must stay as accepted. */
  acceptedBreak: BrokenPart | undefined;
  /** Called when recording stops and resumes. Must not throw, nor wait for the surrounding transaction. */
  onChange: (fault: LogFault | undefined) => void;
}

const WATCH = Symbol("audit log watch");

/** Returns the state of a database's log, one per process and engine. */
export function watchOf(db: Db): LogWatch {
  return engineState(db, WATCH, (): LogWatch => ({
    known: undefined,
    followed: undefined,
    fault: undefined,
    verifiedAt: 0,
    scrubbed: 0,
    statusEvent: 0,
    acknowledged: 0,
    coveredUntil: 0,
    trustedFrom: BEGINNING,
    acceptedBreak: undefined,
    onChange: () => {},
  }));
}

/** Advances the known head to this entry. */
export function see(watch: LogWatch, head: AuditHead): void {
  if (watch.known === undefined || head.seq > watch.known.seq) watch.known = head;
}

/** Stops all recording. Keeps the first fault, and has it recorded again if the entry about it was lost. */
export function stop(watch: LogWatch, reason: LogFaultReason, entry: number, issuedAt?: Instant): void {
  const { fault } = watch;
  const isRollback = reason === "cut" || reason === "replaced";
  if (fault !== undefined && (fault.detection === undefined || !isRollback)) return;
  watch.fault = { ...fault ?? { reason, entry, issuedAt: issuedAt ?? null }, detection: undefined };
  watch.onChange(watch.fault);
}

/** Throws `DatabaseError` `log_cut` while recording is stopped. */
export function refuseWhileStopped({ fault }: LogWatch): void {
  if (fault !== undefined) throw logCut(fault);
}

const FAULTS: Readonly<Record<LogFaultReason, (entry: number) => string>> = {
  not_stored: (entry) => `entry ${entry} was written and is missing`,
  cut: (entry) => `it ends before entry ${entry}, which it contained`,
  replaced: (entry) => `entry ${entry} was changed`,
  missing: (entry) => `entry ${entry} is missing`,
  altered: (entry) => `entry ${entry} was altered`,
  forged: (entry) => `entry ${entry} was not written by the service`,
  receipt: (entry) => `a client has a receipt for entry ${entry}, which it does not contain`,
};

export function formatLogFault({ reason, entry }: Pick<LogFault, "reason" | "entry">): string {
  return FAULTS[reason](entry);
}

export function logCut(fault: LogFault): DatabaseError {
  return new DatabaseError("log_cut", `Cannot record in audit log: ${formatLogFault(fault)}`);
}
