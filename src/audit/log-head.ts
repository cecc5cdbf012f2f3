import { DatabaseError } from "../db/error.ts";
import { processMemory } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { BrokenPart } from "./accepted-break.ts";
import { BEGINNING } from "./stored-entry.ts";
import type { AuditHead } from "./stored-entry.ts";

/**
 * What is wrong with a log. `not_stored`: an entry that was written is not there. `cut`: it ends before an entry that
 * this process knows. `replaced`: it has another entry there. `missing`, `altered` and `forged` are as `AuditFault` has
 * them. `receipt`: somebody came with a receipt for an entry that is not in it.
 */
export type LogFaultReason =
  | "not_stored"
  | "cut"
  | "replaced"
  | "missing"
  | "altered"
  | "forged"
  | "receipt";

/** Why nothing is recorded until a person has looked. */
export interface LogFault {
  readonly reason: LogFaultReason;
  /** The number of the entry that is not there, or not as it was. */
  readonly entry: number;
  /** When the receipt was issued, where it was one. */
  readonly issuedAt: Instant | null;
  /** The entry that tells of it; undefined while there is none. */
  readonly notice: AuditHead | undefined;
}

/** What this process knows of a database's log. */
export interface LogWatch {
  /** The last entry that it saw or wrote, which the log has for ever; undefined before it has looked. */
  known: AuditHead | undefined;
  fault: LogFault | undefined;
  /** The newest entry, among those it saw, that tells of a fault or that a person has looked; 0 for none. */
  turn: number;
  /** The newest of them that says that a person has looked; 0 for none. */
  acknowledged: number;
  /** A person has looked at what was lost until then: what receipts issued before it say is not news. */
  coveredUntil: Instant;
  /** Where the part begins that must be sound: the beginning, unless a person went on over a broken log. */
  soundFrom: AuditHead;
  /** The part before it that is not sound, and must stay as it was then. */
  letPass: BrokenPart | undefined;
  /** Hears when recording stops, and when it goes on. Must not throw, nor wait for the transaction it is called in. */
  onChange: (fault: LogFault | undefined) => void;
}

const WATCH = Symbol("audit log watch");

/** The watch over a database's log: one for each process and handle. */
export function watchOf(db: Db): LogWatch {
  return processMemory(db, WATCH, (): LogWatch => ({
    known: undefined,
    fault: undefined,
    turn: 0,
    acknowledged: 0,
    coveredUntil: 0,
    soundFrom: BEGINNING,
    letPass: undefined,
    onChange: () => {},
  }));
}

/** Takes notice of an entry that the log has for good: what was seen before stands below it. */
export function see(watch: LogWatch, head: AuditHead): void {
  if (watch.known === undefined || head.seq > watch.known.seq) watch.known = head;
}

/**
 * Stops all recording. The first fault is the one that counts; where the entry is gone that told of it, it is told of
 * anew.
 */
export function stop(watch: LogWatch, reason: LogFaultReason, entry: number, issuedAt?: Instant): void {
  const { fault } = watch;
  const isTurnedBack = reason === "cut" || reason === "replaced";
  if (fault !== undefined && (fault.notice === undefined || !isTurnedBack)) return;
  watch.fault = { ...fault ?? { reason, entry, issuedAt: issuedAt ?? null }, notice: undefined };
  watch.onChange(watch.fault);
}

/** Throws `DatabaseError` `log_cut` while recording is stopped. */
export function refuseWhileStopped({ fault }: LogWatch): void {
  if (fault !== undefined) throw logCut(fault);
}

const FAULTS: Readonly<Record<LogFaultReason, (entry: number) => string>> = {
  not_stored: (entry) => `entry ${entry} was written and is not there`,
  cut: (entry) => `it ends before entry ${entry}, which it had`,
  replaced: (entry) => `entry ${entry} is another one than it was`,
  missing: (entry) => `entry ${entry} is missing`,
  altered: (entry) => `entry ${entry} was altered`,
  forged: (entry) => `entry ${entry} was not written by the service`,
  receipt: (entry) => `somebody has a receipt for entry ${entry}, which it does not contain`,
};

/** What is wrong with the log, in words for its operator. */
export function faultWords({ reason, entry }: Pick<LogFault, "reason" | "entry">): string {
  return FAULTS[reason](entry);
}

function logCut(fault: LogFault): DatabaseError {
  return new DatabaseError("log_cut", `Cannot record in audit log: ${faultWords(fault)}`);
}
