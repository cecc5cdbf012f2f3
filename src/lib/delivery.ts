import type { RandomBytes } from "./id.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "./time.ts";

// Retry rules for queued rows that another server must accept: mails, notifications to clients and webhooks.

/** The time that a claimed row belongs to a process. Longer than any single attempt. */
export const LEASE = 2 * MINUTE;

/** The maximum number of attempts. With the back-off, a row expires before. */
export const MOST_ATTEMPTS = 50;

/** An upper bound of the delay. A row due later was queued before the clock was set back. */
export const BEYOND_ANY_DELAY = 2 * HOUR;

/** The time of the next attempt of a row that is kept after its last one. */
export const NEVER: Instant = 8.64e15;

const FIRST_DELAY = 5 * SECOND;
const LONGEST_DELAY = HOUR;

/** Returns the delay after that many attempts: doubled each time up to an hour, times 3/4 to 5/4. */
export function backOff(attempts: number, random: RandomBytes): number {
  const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY);
  return Math.round(delay * (0.75 + random(1)[0]! / 510));
}

/** Returns undefined to give the row up. */
export function nextAttempt(
  { attempts, expires_at: expiresAt }: { readonly attempts: number; readonly expires_at: Instant },
  now: Instant,
  random: RandomBytes,
): Instant | undefined {
  const next = now + backOff(attempts, random);
  return next >= expiresAt || attempts >= MOST_ATTEMPTS ? undefined : next;
}
