import type { AccountRecoveryTable, RecoveryWay } from "../../db/schema/recovery.ts";
import { DAY, HOUR } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";

/** How long a recovery waits unless the account says otherwise, and what it can say: hours. */
export const USUAL_DELAY = 72;
export const SHORTEST_DELAY = 24;
export const LONGEST_DELAY = 30 * 24;

/** For how long a passkey can be made once a recovery has waited. */
export const READY_LIFETIME = 7 * DAY;

/** For how long after a recovery nothing is loosened. */
export const SETTLING = 7 * DAY;

/** The longest from the beginning of a recovery to its end. */
export const LONGEST_RECOVERY = LONGEST_DELAY * HOUR + READY_LIFETIME;

/**
 * What share of a wait the service must have been seen running: it counts by the minute, and loses a minute with each
 * start. Short of one, because nobody should wait for days on account of a restart.
 */
const SEEN_SHARE = 0.98;

/** An account's way back as it stands in its row. */
export type RecoveryColumns = Omit<AccountRecoveryTable, "mac">;

/** The columns that say what waits. */
export const NOTHING_WAITS = {
  recovery_id: null,
  way: null,
  secret_hash: null,
  code_hash: null,
  device: null,
  network: null,
  begun_at: null,
  ready_at: null,
  ends_at: null,
  begun_ran: null,
} as const satisfies Partial<RecoveryColumns>;

/** The columns of an account that never said anything. */
export function usualColumns(accountId: string): RecoveryColumns {
  return {
    account_id: accountId,
    revision: 0,
    delay_hours: USUAL_DELAY,
    email_alone: 0,
    sheet: null,
    codes_left: 0,
    codes_made_at: null,
    ...NOTHING_WAITS,
    settled_at: null,
    settled_ran: null,
    ran: 0,
    look_at: null,
  };
}

/** The number of codes of a sheet that were not used. */
export function countCodes({ codes_left }: Pick<RecoveryColumns, "codes_left">): number {
  let count = 0;
  for (let bits = codes_left; bits > 0; bits >>= 1) count += bits & 1;
  return count;
}

/** A recovery that waits, or whose passkey can be made now. */
export interface WaitingRecovery {
  readonly id: string;
  readonly way: RecoveryWay;
  readonly begunAt: Instant;
  readonly readyAt: Instant;
  readonly endsAt: Instant;
  readonly device: string;
  readonly network: string;
  /** Milliseconds until a passkey can be made, by the clock and by what the service was seen running; 0 from then on. */
  readonly remaining: number;
}

/** Milliseconds of a wait that are still to come, by what the service was seen running. */
function unseen(begun: number, wait: number, ran: number): number {
  return Math.max(0, Math.ceil(begun + SEEN_SHARE * wait) - ran);
}

/**
 * The recovery that waits now; undefined where none does, or its time is over. One whose row was lost has nothing to show
 * who began it, and is none.
 */
export function waitingAt(columns: RecoveryColumns, now: Instant): WaitingRecovery | undefined {
  const { recovery_id: id, way, begun_at, ready_at, ends_at, begun_ran, device, network, ran } = columns;
  if (id === null || begun_at === null || ready_at === null || ends_at === null) return undefined;
  if (way === null || begun_ran === null || device === null || network === null || ends_at <= now) {
    return undefined;
  }
  const remaining = Math.max(0, ready_at - now, unseen(begun_ran, ready_at - begun_at, ran));
  return { id, way, begunAt: begun_at, readyAt: ready_at, endsAt: ends_at, device, network, remaining };
}

/** What `ran` must be for the days after a recovery to be over, if they begin now. */
export function settledRan(ran: number): number {
  return Math.ceil(ran + SEEN_SHARE * SETTLING);
}

/** Whether an account was recovered so lately that nothing of it is loosened: by the clock, and by what was seen. */
export function isSettling({ settled_at, settled_ran, ran }: RecoveryColumns, now: Instant): boolean {
  return settled_at !== null && (settled_at > now || settled_ran === null || settled_ran > ran);
}
