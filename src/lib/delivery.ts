import type { RandomBytes } from "./id.ts";
import { type AllowedHosts, type FetchInit, type Outgoing, PrivateHostError, sendTo } from "./outgoing.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "./time.ts";

// Rules for queued rows that another server must accept: mails, notifications to clients and browsers, and webhooks.

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

/** Why an attempt got no response. */
export type NoResponse = "its host is not allowed" | "too slow" | "unreachable";

/**
 * Sends a POST request. Returns the status of the response, whose body it does not read, or why there is none. Does not
 * follow redirects. `isAllowed` judges the URL alone, because an operator may have narrowed the setting since it was
 * stored. `broken` aborts the attempt. Passes on no message of an error: it may contain the URL and its secrets.
 */
export async function postDelivery(
  url: string,
  outgoing: Outgoing,
  { isAllowed, hosts, broken, ...content }: Pick<FetchInit, "headers" | "body" | "bytes"> & {
    readonly isAllowed: boolean;
    readonly hosts: AllowedHosts;
    readonly broken: AbortSignal;
  },
): Promise<number | NoResponse> {
  if (!isAllowed) return "its host is not allowed";
  const signal = AbortSignal.any([broken, AbortSignal.timeout(outgoing.timeLimit)]);
  try {
    const { status, body } = await sendTo(url, hosts, outgoing, { method: "POST", ...content, signal });
    void body?.cancel().catch(() => {});
    return status;
  } catch (error) {
    if (error instanceof PrivateHostError) return "its host is not allowed";
    return signal.aborted ? "too slow" : "unreachable";
  }
}
