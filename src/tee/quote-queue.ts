import type { Clock } from "../lib/time.ts";
import { type Quote, type Tee, TeeUnavailableError } from "./tee.ts";

/** Rate limits for quotes. The kernel makes about one quote a second for the whole trust domain. */
export interface QuoteLimits {
  /** Pending requests, besides the running one. */
  readonly waiting: number;
  /** Maximum of requests in a burst after a pause. */
  readonly burst: number;
  /** Milliseconds for each request in the long run. */
  readonly interval: number;
  /** Milliseconds after which a request is given up. Shorter than the server's limit for a response. */
  readonly quoteTimeout: number;
}

export const QUOTE_LIMITS: QuoteLimits = { waiting: 8, burst: 10, interval: 1000, quoteTimeout: 10_000 };

/** Creates a token bucket as in GCRA. Its only state is the time at which the bucket is full again. */
function createBucket({ burst, interval }: QuoteLimits, now: Clock): { take(): boolean } {
  let earned = 0;
  return {
    take() {
      const at = now();
      // A clock set back must not block the bucket for that difference.
      earned = Math.min(Math.max(earned, at), at + burst * interval);
      if (earned + interval > at + burst * interval) return false;
      earned += interval;
      return true;
    },
  };
}

async function withQuoteTimeout<T>(job: Promise<T>, quoteTimeout: number, giveUp: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    giveUp();
    reject(new TeeUnavailableError("Cannot quote: no quote came in time"));
  }, quoteTimeout);
  try {
    return await Promise.race([job, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the TEE with quotes made one at a time, within `limits`. A request beyond them rejects with
 * `TeeUnavailableError` at once, a pending one after `quoteTimeout`. A running quote is not cancelled, because the
 * hardware would stay busy. Does not limit sealing keys.
 */
export function limitQuotes<T extends Pick<Tee, "quote">>(
  tee: T,
  { now, limits = QUOTE_LIMITS }: { now: Clock; limits?: QuoteLimits | undefined },
): T {
  const bucket = createBucket(limits, now);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let isBusy = false;

  function enqueue(job: () => Promise<Quote>, isGivenUp: () => boolean): Promise<Quote> {
    waiting++;
    const quoted = last.then(async () => {
      waiting--;
      if (isGivenUp()) throw new TeeUnavailableError("Cannot quote: given up");
      isBusy = true;
      try {
        return await job();
      } finally {
        isBusy = false;
      }
    });
    last = quoted.catch(() => undefined);
    return quoted;
  }

  return {
    ...tee,
    async quote(reportData: Uint8Array): Promise<Quote> {
      const isFull = waiting >= limits.waiting + (isBusy ? 0 : 1);
      if (isFull || !bucket.take()) {
        throw new TeeUnavailableError("Cannot quote: too many requests for quotes");
      }
      let isGivenUp = false;
      const quoted = enqueue(() => tee.quote(reportData), () => isGivenUp);
      return await withQuoteTimeout(quoted, limits.quoteTimeout, () => isGivenUp = true);
    },
  };
}
