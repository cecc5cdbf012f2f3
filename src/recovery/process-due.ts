import { findAnyAccount } from "../accounts/account.ts";
import { readState, writeState } from "../accounts/recovery/recovery-state.ts";
import {
  isSettling,
  NO_PENDING_RECOVERY,
  pendingRecoveryAt,
} from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery } from "../accounts/recovery/recovery-settings.ts";
import { engineState } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Throttle } from "../db/sweep.ts";
import { transaction } from "../db/transaction.ts";
import { type Clock, DAY, type Instant } from "../lib/time.ts";
import type { RecoveryMailAct, RecoveryMailEvent } from "../mail/recovery-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { pageRows } from "../store/read.ts";
import { replaceIfUnchanged, replaceRow } from "../store/write.ts";
import { cancelPath } from "./cancel.ts";
import { type OperationContext, prepareRecoveryNotification, type RecoveryServices } from "./services.ts";

type Row = Authentic<"account_recovery">;
type TendingServices = Pick<RecoveryServices, "vault" | "authority" | "mailer">;

const PAGE = 50;

/**
 * The row's `ran` and the stopwatch when this process first saw the recovery. Each process counts on from there and
 * the row keeps the maximum. So concurrent processes count no faster than one, and a later process continues.
 */
interface Counted {
  readonly ran: number;
  readonly at: number;
}

const COUNTED = Symbol("recoveries that this process has seen pending");

/**
 * Processes pending recoveries. Call it about every minute. Counts the observed running time by a stopwatch, so that
 * setting the clock ahead shortens no delay. Notifies owners daily and ends expired recoveries. Uses a throttled
 * transaction for each account.
 */
export async function tendRecoveries(
  db: Db,
  services: TendingServices,
  { stopwatch, ...context }: OperationContext & { readonly stopwatch: Clock },
  throttle: Throttle,
): Promise<void> {
  const counted = engineState(db, COUNTED, (): Map<string, Counted> => new Map());
  const seen = new Set<string>();
  let after = { look_at: 0, account_id: "" };
  for (;;) {
    const rows = await pageRows(db, services.authority, "account_recovery", "pending", {}, {
      after,
      limit: PAGE,
    });
    for (const row of rows) {
      seen.add(row.account_id);
      const start = counted.get(row.account_id) ?? { ran: row.ran, at: stopwatch() };
      counted.set(row.account_id, start);
      const ran = Math.max(row.ran, Math.floor(start.ran + stopwatch() - start.at));
      await throttle(() => tendOne(db, services, context, { row, ran }));
    }
    if (rows.length < PAGE) break;
    after = { look_at: rows.at(-1)!.look_at!, account_id: rows.at(-1)!.account_id };
  }
  for (const accountId of counted.keys()) if (!seen.has(accountId)) counted.delete(accountId);
}

async function tendOne(
  db: Db,
  services: TendingServices,
  context: OperationContext,
  { row, ran }: { readonly row: Row; readonly ran: number },
): Promise<void> {
  const counted = ran === row.ran
    ? row
    : await replaceIfUnchanged(db, services.authority, "account_recovery", row, { ran });
  if (counted === undefined) return;
  const { now } = context;
  if (counted.recovery_id === null) {
    if (isSettling(counted, now)) return;
    await replaceIfUnchanged(db, services.authority, "account_recovery", counted, { look_at: null });
    return;
  }
  const pending = pendingRecoveryAt(counted, now);
  if (pending === undefined) return await lapse(db, services, context, counted);
  // A time more than a day ahead was written before the clock was set back.
  if (counted.look_at === null || (counted.look_at > now && counted.look_at <= now + DAY)) return;
  await notify(db, services, context, { row: counted, pending });
}

/** Returns the time of the next mail: daily, and when the recovery is ready. */
function nextLook({ remaining, endsAt }: PendingRecovery, now: Instant): Instant {
  return Math.min(now + (remaining > 0 ? Math.min(DAY, remaining) : DAY), endsAt);
}

async function notify(
  db: Db,
  services: TendingServices,
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
    cancelPath: cancelPath(services.vault, pending.id),
  };
  await note(
    db,
    services,
    context,
    { row, act: remaining > 0 ? "waits" : "ready", mailEvent },
    async (tx, present) => {
      await replaceRow(tx, services.authority, "account_recovery", present, {
        look_at: nextLook(pending, now),
      });
    },
  );
}

async function lapse(db: Db, services: TendingServices, context: OperationContext, row: Row): Promise<void> {
  const mailEvent = { device: row.device ?? "", network: row.network ?? "", at: row.begun_at ?? context.now };
  await note(db, services, context, { row, act: "lapsed", mailEvent }, async (tx) => {
    const state = await readState(tx, services, row.account_id);
    const change = { ...NO_PENDING_RECOVERY, look_at: row.settled_at };
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
  services: TendingServices,
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
    const isSame = present?.revision === row.revision && present.ran === row.ran &&
      present.look_at === row.look_at;
    if (!isSame) return false;
    await write(tx, present);
    await notification.enqueue(tx);
    return true;
  });
  if (isDone) notification.queued();
}
