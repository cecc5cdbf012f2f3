import { findAnyAccount } from "../accounts/account.ts";
import { readState, writeState } from "../accounts/recovery/recovery-state.ts";
import {
  isInCooldown,
  NO_PENDING_RECOVERY,
  pendingRecoveryAt,
} from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery } from "../accounts/recovery/recovery-settings.ts";
import { engineState } from "../db/engine-state.ts";
import { passInconsistent } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Throttle } from "../db/sweep.ts";
import { transaction } from "../db/transaction.ts";
import { type Clock, DAY, type Instant, MINUTE } from "../lib/time.ts";
import type { RecoveryMailAct, RecoveryMailEvent } from "../mail/recovery-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { pageRows } from "../store/read.ts";
import { replaceIfUnchanged, replaceRow } from "../store/write.ts";
import { cancelPath } from "./cancel.ts";
import { type OperationContext, prepareRecoveryNotification, type RecoveryServices } from "./services.ts";

type Row = Authentic<"account_recovery">;
type DueRecoveryServices = Pick<RecoveryServices, "vault" | "authority" | "mailer">;

const PAGE = 50;

/** The observed time after which a row is saved. Each saving is an entry of the audit log. */
const SAVE_INTERVAL = 10 * MINUTE;

/**
 * The row's `observed_ms` and the stopwatch when this process first saw the recovery. Each process counts on from
 * there and the row keeps the maximum. So concurrent processes count no faster than one, and a later process continues.
 */
interface Counted {
  readonly observedMs: number;
  readonly at: number;
}

const COUNTED = Symbol("recoveries that this process has seen pending");

/**
 * Processes pending recoveries. Call it about every minute. Counts the observed running time by a stopwatch, so that
 * setting the clock ahead shortens no delay. Notifies owners daily and ends expired recoveries. Uses a throttled
 * transaction for each account.
 */
export async function processDueRecoveries(
  db: Db,
  services: DueRecoveryServices,
  { stopwatch, ...context }: OperationContext & { readonly stopwatch: Clock },
  throttle: Throttle,
): Promise<void> {
  const counted = engineState(db, COUNTED, (): Map<string, Counted> => new Map());
  const seen = new Set<string>();
  let after = { next_check_at: 0, account_id: "" };
  for (;;) {
    const rows = await pageRows(db, services.authority, "account_recovery", "pending", {}, {
      after,
      limit: PAGE,
    });
    for (const row of rows) {
      seen.add(row.account_id);
      const start = counted.get(row.account_id) ?? { observedMs: row.observed_ms, at: stopwatch() };
      counted.set(row.account_id, start);
      const observedMs = Math.max(row.observed_ms, Math.floor(start.observedMs + stopwatch() - start.at));
      await throttle(() => processRecovery(db, services, context, { row, observedMs })).catch(
        passInconsistent,
      );
    }
    if (rows.length < PAGE) break;
    after = { next_check_at: rows.at(-1)!.next_check_at!, account_id: rows.at(-1)!.account_id };
  }
  for (const accountId of counted.keys()) if (!seen.has(accountId)) counted.delete(accountId);
}

async function processRecovery(
  db: Db,
  services: DueRecoveryServices,
  context: OperationContext,
  { row, observedMs }: { readonly row: Row; readonly observedMs: number },
): Promise<void> {
  const { now } = context;
  const counted = isWorthSaving(row, observedMs, now)
    ? await replaceIfUnchanged(db, services.authority, "account_recovery", row, { observed_ms: observedMs })
    : row;
  if (counted === undefined) return;
  if (counted.recovery_id === null) {
    if (isInCooldown(counted, now)) return;
    await replaceIfUnchanged(db, services.authority, "account_recovery", counted, { next_check_at: null });
    return;
  }
  const pending = pendingRecoveryAt(counted, now);
  if (pending === undefined) return await expire(db, services, context, counted);
  // A time more than a day ahead was written before the clock was set back.
  if (counted.next_check_at === null || (counted.next_check_at > now && counted.next_check_at <= now + DAY)) {
    return;
  }
  await notify(db, services, context, { row: counted, pending });
}

/** Returns true if much time was observed since the row was saved, or enough to end a delay or cooldown. */
function isWorthSaving(row: Row, observedMs: number, now: Instant): boolean {
  if (observedMs - row.observed_ms >= SAVE_INTERVAL) return true;
  const counted = { ...row, observed_ms: observedMs };
  return pendingRecoveryAt(row, now)?.remaining !== 0 && pendingRecoveryAt(counted, now)?.remaining === 0 ||
    isInCooldown(row, now) && !isInCooldown(counted, now);
}

/** Returns the time of the next mail: daily, and when the recovery is ready. */
function nextCheckAt({ remaining, endsAt }: PendingRecovery, now: Instant): Instant {
  return Math.min(now + (remaining > 0 ? Math.min(DAY, remaining) : DAY), endsAt);
}

async function notify(
  db: Db,
  services: DueRecoveryServices,
  context: OperationContext,
  { row, pending }: { readonly row: Row; readonly pending: PendingRecovery },
): Promise<void> {
  const { remaining, readyAt, begunAt, device, network } = pending;
  const { now } = context;
  const mailEvent = {
    device,
    network,
    at: begunAt,
    readyAt: Math.max(readyAt, now + remaining),
    cancelPath: cancelPath(services.vault, { accountId: row.account_id, recoveryId: pending.id }),
  };
  await note(
    db,
    services,
    context,
    { row, act: remaining > 0 ? "waits" : "ready", mailEvent },
    async (tx, present) => {
      await replaceRow(tx, services.authority, "account_recovery", present, {
        next_check_at: nextCheckAt(pending, now),
      });
    },
  );
}

async function expire(
  db: Db,
  services: DueRecoveryServices,
  context: OperationContext,
  row: Row,
): Promise<void> {
  const mailEvent = { device: row.device ?? "", network: row.network ?? "", at: row.begun_at ?? context.now };
  await note(db, services, context, { row, act: "lapsed", mailEvent }, async (tx) => {
    const state = await readState(tx, services, row.account_id);
    const change = { ...NO_PENDING_RECOVERY, next_check_at: row.cooldown_ends_at };
    await writeState(tx, services, state, {
      act: "lapsed",
      change,
      subject: row.recovery_id,
      now: context.now,
    });
  });
}

/** Runs `write` and notifies the owner if the row has not changed. Ignores an outdated row that was restored. */
async function note(
  db: Db,
  services: DueRecoveryServices,
  context: OperationContext,
  { row, act, mailEvent }: {
    readonly row: Row;
    readonly act: RecoveryMailAct;
    readonly mailEvent: Pick<RecoveryMailEvent, "device" | "network" | "at" | "readyAt" | "cancelPath">;
  },
  write: (tx: Db, present: Row) => Promise<void>,
): Promise<void> {
  const account = await findAnyAccount(db, services.authority, row.account_id);
  if (account === undefined) return;
  const notification = await prepareRecoveryNotification(db, services, account, context, [act, mailEvent]);
  const isDone = await transaction(db, async (tx) => {
    const { row: present } = await readState(tx, services, row.account_id);
    const isSame = present?.revision === row.revision && present.observed_ms === row.observed_ms &&
      present.next_check_at === row.next_check_at;
    if (!isSame) return false;
    await write(tx, present);
    await notification.enqueue(tx);
    return true;
  });
  if (isDone) notification.queued();
}
