import { engineState } from "../../db/engine-state.ts";
import type { Db } from "../../db/schema/schema.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { getSigningRequestRow, requesterId, toSigningRequest } from "./signing-request.ts";
import type { SigningRequest, WhichRequest } from "./signing-request.ts";

/** Maximum wait in seconds. Shorter than the lifetime of an idle connection and than a shutdown. */
export const LONGEST_WAIT = 8;

/** Maximum waiting requests in a process: for each requester, for each account, and in total. */
const WAITERS_EACH = 4;

const WAITERS_ACCOUNT = 20;

const WAITERS = 200;

/** Polls the database, because another process may handle the approval. */
const LOOK_INTERVAL = SECOND;

const WAITING = Symbol("who waits for signing requests");

function sum(counts: Iterable<number>): number {
  let all = 0;
  for (const count of counts) all += count;
  return all;
}

/** Counts a waiting request while the job runs. Returns undefined, without running it, at a limit. */
async function whileCounted<T>(
  db: Db,
  { accountId, requester }: WhichRequest,
  job: () => Promise<T>,
): Promise<T | undefined> {
  // By account, then by requester.
  const waiting = engineState(db, WAITING, (): Map<string, Map<string, number>> => new Map());
  const requesters = waiting.get(accountId) ?? new Map<string, number>();
  const id = requesterId(requester);
  const own = requesters.get(id) ?? 0;
  const all = sum(waiting.values().map((counts) => sum(counts.values())));
  if (own >= WAITERS_EACH || sum(requesters.values()) >= WAITERS_ACCOUNT || all >= WAITERS) return undefined;
  waiting.set(accountId, requesters.set(id, own + 1));
  try {
    return await job();
  } finally {
    const left = requesters.get(id)! - 1;
    if (left === 0) requesters.delete(id);
    else requesters.set(id, left);
    if (requesters.size === 0) waiting.delete(accountId);
  }
}

/**
 * Returns a request once it has ended, after `seconds` (at most `LONGEST_WAIT`), or on the signal. Returns at once if
 * too many requests wait. Polls once a second without a transaction, so that it works across processes. Throws
 * `not_found`, also if the request is deleted while waiting.
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
