import { processMemory } from "../../db/engine-state.ts";
import type { Db } from "../../db/schema/schema.ts";
import { SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { askerId, getSigningRequestRow, toSigningRequest } from "./signing-request.ts";
import type { SigningRequest, WhichRequest } from "./signing-request.ts";

/** The longest that anybody waits, in seconds: shorter than a silent connection lives, and than a stop takes. */
export const LONGEST_WAIT = 8;

/** Most who wait in a process: of one asker, of one account, and in all. Who comes then is answered at once. */
export const WAITERS_EACH = 4;

export const WAITERS_ACCOUNT = 20;

export const WAITERS = 200;

/** How often whoever waits looks: whoever answers may be another process. */
const LOOK_INTERVAL = SECOND;

const WAITING = Symbol("who waits for signing requests");

function sum(counts: Iterable<number>): number {
  let all = 0;
  for (const count of counts) all += count;
  return all;
}

/** Counts one more who waits, for as long as the job runs; undefined, and the job not run, where there are too many. */
async function whileCounted<T>(
  db: Db,
  { accountId, asker }: WhichRequest,
  job: () => Promise<T>,
): Promise<T | undefined> {
  // By account, then by asker.
  const waiting = processMemory(db, WAITING, (): Map<string, Map<string, number>> => new Map());
  const askers = waiting.get(accountId) ?? new Map<string, number>();
  const id = askerId(asker);
  const own = askers.get(id) ?? 0;
  const all = sum(waiting.values().map((counts) => sum(counts.values())));
  if (own >= WAITERS_EACH || sum(askers.values()) >= WAITERS_ACCOUNT || all >= WAITERS) return undefined;
  waiting.set(accountId, askers.set(id, own + 1));
  try {
    return await job();
  } finally {
    const left = askers.get(id)! - 1;
    if (left === 0) askers.delete(id);
    else askers.set(id, left);
    if (askers.size === 0) waiting.delete(accountId);
  }
}

/**
 * A request as it stands once it is over, or after `seconds` (at most `LONGEST_WAIT`), or when the signal ends the
 * waiting, whichever comes first; at once where too many wait. Holds no transaction and looks once a second, so it works
 * whichever process the answer comes through. Throws `not_found`, also where it is gone meanwhile.
 */
export async function waitForSigningRequest(
  db: Db,
  authority: RowAuthority,
  which: WhichRequest,
  { now, seconds, signal }: { readonly now: Instant; readonly seconds: number; readonly signal: AbortSignal },
): Promise<SigningRequest> {
  const end = now + Math.min(seconds, LONGEST_WAIT) * SECOND;
  const look = async (at: Instant): Promise<SigningRequest> =>
    toSigningRequest(await getSigningRequestRow(db, authority, which), at);
  const first = await look(now);
  if (first.state !== "pending" || seconds === 0) return first;
  const last = await whileCounted(db, which, async () => {
    let found = first;
    for (let at = now; found.state === "pending" && at < end && !signal.aborted; at += LOOK_INTERVAL) {
      await pause(LOOK_INTERVAL, signal);
      found = await look(at + LOOK_INTERVAL);
    }
    return found;
  });
  return last ?? first;
}

/** Waits for so many milliseconds, or until the signal. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
