import type { RecoveryMethod } from "../../db/schema/account.ts";
import type { Tables } from "../../db/schema/schema.ts";
import { DAY, HOUR, type Instant } from "../../lib/time.ts";

/** The default, minimum and maximum delay of a recovery, in hours. */
const USUAL_DELAY = 72;
export const SHORTEST_DELAY = 24;
export const LONGEST_DELAY = 30 * 24;

/** The time to register a passkey after the delay. */
export const READY_LIFETIME = 7 * DAY;

/** The cooldown after a recovery, in which no protection can be relaxed. */
export const COOLDOWN = 7 * DAY;

export const LONGEST_RECOVERY = LONGEST_DELAY * HOUR + READY_LIFETIME;

/**
 * The share of a delay in which the service must be observed running. Observation counts minutes and loses up to one
 * at each start. Less than 1, so that restarts do not extend the delay by days.
 */
const OBSERVED_SHARE = 0.98;

export type RecoveryColumns = Omit<Tables["account_recovery"], "mac">;

/** The columns without a pending recovery. */
export const NO_PENDING_RECOVERY = {
  recovery_id: null,
  method: null,
  secret_hash: null,
  code_hash: null,
  device: null,
  network: null,
  begun_at: null,
  ready_at: null,
  ends_at: null,
  observed_at_start: null,
} as const satisfies Partial<RecoveryColumns>;

/** Returns the columns of an account that has no recovery settings. */
export function usualColumns(accountId: string): RecoveryColumns {
  return {
    account_id: accountId,
    revision: 0,
    delay_hours: USUAL_DELAY,
    email_alone: 0,
    generation: null,
    unused_mask: 0,
    codes_made_at: null,
    ...NO_PENDING_RECOVERY,
    cooldown_ends_at: null,
    observed_at_cooldown_end: null,
    observed_ms: 0,
    next_check_at: null,
  };
}

export function countCodes({ unused_mask }: Pick<RecoveryColumns, "unused_mask">): number {
  let count = 0;
  for (let bits = unused_mask; bits > 0; bits >>= 1) count += bits & 1;
  return count;
}

/** A pending recovery, or one whose passkey can be registered now. */
export interface PendingRecovery {
  readonly id: string;
  readonly method: RecoveryMethod;
  readonly begunAt: Instant;
  readonly readyAt: Instant;
  readonly endsAt: Instant;
  readonly device: string;
  readonly network: string;
  /** Milliseconds until a passkey can be registered, by the clock and by observed running time. 0 afterwards. */
  readonly remaining: number;
}

/** Returns the milliseconds of a delay that the service has not been observed running yet. */
function unobserved(start: number, delay: number, observedMs: number): number {
  return Math.max(0, Math.ceil(start + OBSERVED_SHARE * delay) - observedMs);
}

/**
 * Returns undefined if no recovery is pending or it has expired. Also if its row was lost: the log does not hold the
 * secret of the browser that began it.
 */
export function pendingRecoveryAt(columns: RecoveryColumns, now: Instant): PendingRecovery | undefined {
  const { recovery_id: id, method, begun_at, ready_at, ends_at, observed_at_start, device, network } =
    columns;
  if (id === null || begun_at === null || ready_at === null || ends_at === null || ends_at <= now) {
    return undefined;
  }
  if (method === null || observed_at_start === null || device === null || network === null) return undefined;
  const left = unobserved(observed_at_start, ready_at - begun_at, columns.observed_ms);
  const remaining = Math.max(0, ready_at - now, left);
  return { id, method, begunAt: begun_at, readyAt: ready_at, endsAt: ends_at, device, network, remaining };
}

/** Returns the value of `observed_ms` at which a cooldown that begins now ends. */
export function observedAtCooldownEnd(observedMs: number): number {
  return Math.ceil(observedMs + OBSERVED_SHARE * COOLDOWN);
}

/** Returns true while the account is in the cooldown, by the clock and by observed running time. */
export function isInCooldown(
  { cooldown_ends_at, observed_at_cooldown_end, observed_ms }: RecoveryColumns,
  now: Instant,
): boolean {
  return cooldown_ends_at !== null &&
    (cooldown_ends_at > now || observed_at_cooldown_end === null || observed_at_cooldown_end > observed_ms);
}
