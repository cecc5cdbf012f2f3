import type { Db } from "../db/schema/schema.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, MINUTE, SECOND } from "../lib/time.ts";
import { stateTagsOf } from "../store/state/state-tags.ts";
import type { Vault } from "../vault/vault.ts";
import { catchUp } from "./read-tail.ts";
import { isAcceptedBreakUnchanged } from "./accepted-break.ts";
import { readOn } from "./chain.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { recordFault } from "./rollback.ts";
import { type AuditHead, BEGINNING } from "./stored-entry.ts";
import { applyLogStatusEvent, readLogStatusEvent } from "./log-status.ts";
import { stop, watchOf } from "./log-head.ts";

/** Entries per read: well under a millisecond, which blocks the event loop. */
const BATCH = 100;

/** Milliseconds of pause per millisecond of work: under 1 % of one core, runtime overhead included. */
const REST = 250;

/** The polling interval for new entries and acknowledgements when idle. */
const IDLE = 5 * SECOND;

/** The pause between two passes through the whole log. */
const BETWEEN_PASSES = 10 * MINUTE;

const BETWEEN_CHECKPOINTS = MINUTE;

/** A checkpoint is due after this many new entries for each state tag that it saves. */
const ENTRIES_PER_TAG = 1 / 20;

/** Verifies the next entries and applies the log-status events among them. Stops all recording at a faulty entry. */
async function verifyNext(
  db: Db,
  vault: Vault,
  after: AuditHead,
): Promise<{ head: AuditHead; isEnd: boolean }> {
  const watch = watchOf(db);
  const { head, read, fault } = await readOn(db, vault, {
    after,
    limit: BATCH,
    onEntry: (_head, entry) => {
      const statusEvent = readLogStatusEvent(entry);
      if (statusEvent !== undefined) applyLogStatusEvent(watch, statusEvent);
    },
  });
  if (fault !== undefined) stop(watch, fault.kind, fault.seq);
  return { head, isEnd: fault !== undefined || read < BATCH };
}

/** Stops all recording if the accepted part changed. Returns the entry to verify from. */
async function skipAcceptedBreak(db: Db): Promise<AuditHead> {
  const watch = watchOf(db);
  const { acceptedBreak, trustedFrom } = watch;
  if (acceptedBreak !== undefined && !await isAcceptedBreakUnchanged(db, acceptedBreak)) {
    stop(watch, "replaced", acceptedBreak.from);
  }
  return trustedFrom;
}

/**
 * Verifies the log from its checkpoint to its end, as at start, and reads the newest states. Returns the last sound
 * entry. On a fault, or if verified entries are missing, stops all recording; `watchOf` has the reason.
 */
export async function verifyLogFromCheckpoint(db: Db, vault: Vault): Promise<AuditHead> {
  const watch = watchOf(db);
  await catchUp(db, vault);
  await skipAcceptedBreak(db);
  if (watch.fault === undefined) await saveCheckpoint(db, vault);
  return watch.followed ?? BEGINNING;
}

/** Saves the newest states and the entry that they are read up to, unless the log is where it was. */
async function saveCheckpoint(db: Db, vault: Vault, savedSeq = 0): Promise<AuditHead | undefined> {
  const { followed } = watchOf(db);
  if (followed === undefined || followed.seq === savedSeq) return undefined;
  await writeCheckpoint(db, vault, { ...followed, stateTags: stateTagsOf(db).table.encode() });
  return followed;
}

export interface LogScrubber {
  /** Runs one step. Returns `more` if work is left. */
  step(): Promise<"more" | "done">;
}

/** Verifies new entries first, then the whole log in a loop. `from` is the last entry verified. */
export function createLogScrubber(
  db: Db,
  { vault, now, from }: { readonly vault: Vault; readonly now: Clock; readonly from: AuditHead },
): LogScrubber {
  const watch = watchOf(db);
  let { acknowledged } = watch;
  let newest = from;
  let checkpoint = { seq: from.seq, at: now() };
  let pass = { head: watch.trustedFrom, endedAt: undefined as number | undefined };

  /** An acknowledgement changes the part of the log that must be sound. */
  async function restartPass(): Promise<void> {
    acknowledged = watch.acknowledged;
    newest = await skipAcceptedBreak(db);
    pass = { head: newest, endedAt: undefined };
  }

  async function keepCheckpoint(): Promise<void> {
    if (now() - checkpoint.at < BETWEEN_CHECKPOINTS) return;
    // A large table is saved less often: a start reads some more entries instead.
    const grown = (watch.followed?.seq ?? 0) - checkpoint.seq;
    if (grown < stateTagsOf(db).table.size * ENTRIES_PER_TAG) return;
    const saved = await saveCheckpoint(db, vault, checkpoint.seq);
    if (saved !== undefined) checkpoint = { seq: saved.seq, at: now() };
  }

  async function verifyNewest(): Promise<boolean> {
    const { head, isEnd } = await verifyNext(db, vault, newest);
    newest = head;
    return isEnd;
  }

  async function verifyNextOfPass(): Promise<boolean> {
    if (pass.endedAt !== undefined) {
      if (now() - pass.endedAt < BETWEEN_PASSES) return true;
      pass = { head: await skipAcceptedBreak(db), endedAt: undefined };
      if (watch.fault !== undefined) return true;
    }
    const { head, isEnd } = await verifyNext(db, vault, pass.head);
    pass = { head, endedAt: isEnd ? now() : undefined };
    return isEnd;
  }

  async function step(): Promise<"more" | "done"> {
    await catchUp(db, vault);
    if (watch.fault !== undefined) {
      await recordFault(db, vault, now());
      return "done";
    }
    if (watch.acknowledged !== acknowledged) await restartPass();
    const isDone = [await verifyNewest(), await verifyNextOfPass()].every((isEnd) => isEnd);
    if (watch.fault === undefined) {
      Object.assign(watch, { verifiedAt: now(), scrubbed: pass.head.seq });
      await keepCheckpoint();
    }
    return isDone ? "done" : "more";
  }

  return { step };
}

/** Uses less than 1 % of a core. `stopwatch` returns monotonic milliseconds. Returns the function that stops it. */
export function startLogScrubber(
  scrubber: LogScrubber,
  { stopwatch, log }: { readonly stopwatch: () => number; readonly log: Log },
): () => Promise<void> {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let round = Promise.resolve();

  async function step(): Promise<void> {
    const begun = stopwatch();
    const left = await scrubber.step().catch((error: unknown) => {
      log("error", "audit_patrol_failed", { error: String(error) });
      return "done" as const;
    });
    const rest = (stopwatch() - begun) * REST;
    if (!isStopped) timer = setTimeout(begin, left === "more" ? rest : Math.max(rest, IDLE));
  }

  function begin(): void {
    round = step();
  }

  begin();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await round;
  };
}
