import type { Again } from "./api.ts";
import { type HoldfastError, toError } from "./problem.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Outgoing {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  /** Creates the headers of one attempt: a proof is valid once. */
  readonly headers: () => Promise<Headers>;
  readonly heard: (response: Response) => void;
  readonly again: Again;
}

const TRIES = 3;
/** The longest wait before an attempt, in seconds. A longer `Retry-After` is thrown to the caller. */
const LONGEST_WAIT = 30;
/** Codes of requests that had no effect. */
const NOTHING_DONE = ["rate_limited", "unavailable"];

/** Waits some seconds. Rejects with the signal's reason if it is aborted. */
export function sleep(seconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Returns the seconds to wait before the next attempt; undefined if there is none. */
function waitAfter(error: HoldfastError, again: Again): number | undefined {
  const { code, status, retryAfter } = error;
  // The request had no effect, so that any operation can be sent again.
  if (retryAfter !== undefined && NOTHING_DONE.includes(code)) return retryAfter;
  const isPassing = status === 502 || status === 503 || status === 504;
  return isPassing && again !== "once" ? retryAfter ?? 1 : undefined;
}

/** Returns true if the proof only lacked the nonce in this response (RFC 9449 section 9): nothing was done. */
function wantsNonce({ status, headers }: Response): boolean {
  return status === 401 && headers.get("www-authenticate")?.includes('"use_dpop_nonce"') === true;
}

/** Sends a request once. Returns the response, or the error with the time to wait; without one it is final. */
async function attempt(
  { fetch, url, init, headers, heard, again }: Outgoing,
): Promise<Response | { readonly error: unknown; readonly wait: number | undefined }> {
  try {
    const response = await fetch(url, { ...init, headers: await headers() });
    heard(response);
    if (response.ok) return response;
    const error = await toError(response);
    return { error, wait: wantsNonce(response) ? 0 : waitAfter(error, again) };
  } catch (error) {
    // The response was lost: the request may have had an effect.
    return { error, wait: init.signal?.aborted === true || again === "once" ? undefined : 0.25 };
  }
}

/**
 * Sends a request, and again if that is safe: after `Retry-After` if it had no effect, or after a lost response if the
 * operation is repeatable. Throws a `HoldfastError`, or what `fetch` threw.
 */
export async function send(outgoing: Outgoing): Promise<Response> {
  for (let tries = 1;; tries++) {
    const outcome = await attempt(outgoing);
    if (!("error" in outcome)) return outcome;
    const { error, wait } = outcome;
    if (wait === undefined || wait > LONGEST_WAIT || tries === TRIES) throw error;
    await sleep(wait, outgoing.init.signal);
  }
}
