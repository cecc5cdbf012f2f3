import type { Again } from "./api.ts";
import { type HoldfastError, toError } from "./problem.ts";

/** What stands in for `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How one request of an operation goes out. */
export interface Outgoing {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  /** Those of one try: a proof counts once. */
  readonly headers: () => Promise<Headers>;
  /** Is told of every answer. */
  readonly heard: (response: Response) => void;
  readonly again: Again;
}

/** Times that a request is sent at the most. */
const TRIES = 3;
/** Seconds that a retry waits at the most: who is told to wait longer is told so. */
const LONGEST_WAIT = 30;
/** What the service says of a request of which it did nothing. */
const NOTHING_DONE = ["rate_limited", "unavailable"];

/** Waits so many seconds. Rejects with the signal's reason when it is aborted. */
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

/** Seconds to wait before the request is sent again; undefined where it is not. */
function waitAfter(error: HoldfastError, again: Again): number | undefined {
  const { code, status, retryAfter } = error;
  // Nothing was done, whatever it was that was asked: it says so itself.
  if (retryAfter !== undefined && NOTHING_DONE.includes(code)) return retryAfter;
  const isPassing = status === 502 || status === 503 || status === 504;
  return isPassing && again !== "once" ? retryAfter ?? 1 : undefined;
}

/** Whether the proof only lacked a nonce, which this answer brings (RFC 9449 section 9): nothing was done. */
function wantsNonce({ status, headers }: Response): boolean {
  return status === 401 && headers.get("www-authenticate")?.includes('"use_dpop_nonce"') === true;
}

/** One try: the answer, or what went wrong and how long to wait; without a wait it is final. */
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
    // The answer was lost: nobody knows what was done.
    return { error, wait: init.signal?.aborted === true || again === "once" ? undefined : 0.25 };
  }
}

/**
 * Sends a request, and again where that is safe: after `Retry-After` where the service says that it did nothing, and
 * after a lost answer where asking twice does no more than asking once. Throws a `HoldfastError`, or what `fetch` threw.
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
