import type { RandomBytes } from "./id.ts";
import { HOUR, MINUTE, SECOND } from "./time.ts";
import type { Instant } from "./time.ts";

// What is alike in everything that rows are queued for and another machine has to take: mails, and words to applications.

/** For how long a row belongs to the process that took it: longer than anything is tried once. */
export const LEASE = 2 * MINUTE;

/** How often a row is tried at most; with the back-off it expires before. */
export const MOST_ATTEMPTS = 50;

/** No try is put off for as long as this: what is due later was queued before the clock was set back. */
export const BEYOND_ANY_DELAY = 2 * HOUR;

const FIRST_DELAY = 5 * SECOND;
const LONGEST_DELAY = HOUR;

/** How long to wait after so many attempts: doubled each time up to an hour, and between 3/4 and 5/4 of that. */
export function backOff(attempts: number, random: RandomBytes): number {
  const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY);
  return Math.round(delay * (0.75 + random(1)[0]! / 510));
}

/** When a row that was not taken is tried again; undefined where it is given up. */
export function nextAttempt(
  { attempts, expires_at: expiresAt }: { readonly attempts: number; readonly expires_at: Instant },
  now: Instant,
  random: RandomBytes,
): Instant | undefined {
  const next = now + backOff(attempts, random);
  return next >= expiresAt || attempts >= MOST_ATTEMPTS ? undefined : next;
}
