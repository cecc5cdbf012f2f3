import type { Clock } from "../lib/time.ts";
import { TeeUnavailableError } from "./tee.ts";
import type { Quote, Tee } from "./tee.ts";

/** How much quoting a TEE is asked for. The kernel gives about one quote a second to the whole trust domain. */
export interface QuoteLimits {
  /** Requests that may wait for the one under way. */
  readonly waiting: number;
  /** Requests at once, after a quiet time. */
  readonly burst: number;
  /** Milliseconds for each request in the long run. */
  readonly interval: number;
  /** Milliseconds after which a request is given up. Less than the server lets a client wait. */
  readonly patience: number;
}

export const QUOTE_LIMITS: QuoteLimits = { waiting: 8, burst: 10, interval: 1000, patience: 10_000 };

/** A token bucket as GCRA keeps it: one time, at which all that was taken would be earned again. */
function createBucket({ burst, interval }: QuoteLimits, now: Clock): { take(): boolean } {
  let earned = 0;
  return {
    take() {
      const at = now();
      // A clock that was set back must not close the bucket for as long as it was ahead.
      earned = Math.min(Math.max(earned, at), at + burst * interval);
      if (earned + interval > at + burst * interval) return false;
      earned += interval;
      return true;
    },
  };
}

async function withPatience<T>(job: Promise<T>, patience: number, giveUp: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    giveUp();
    reject(new TeeUnavailableError("Cannot quote: no quote came in time"));
  }, patience);
  try {
    return await Promise.race([job, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same TEE with its quotes made one at a time, no more of them than `limits` allows. A request beyond that rejects
 * with `TeeUnavailableError` at once, one that waited too long after `patience`; a quote under way is never abandoned,
 * because the hardware would be busy with it all the same. Sealing keys are not limited.
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
    const turn = last.then(async () => {
      waiting--;
      if (isGivenUp()) throw new TeeUnavailableError("Cannot quote: given up");
      isBusy = true;
      try {
        return await job();
      } finally {
        isBusy = false;
      }
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    ...tee,
    async quote(reportData: Uint8Array): Promise<Quote> {
      const isFull = waiting >= limits.waiting + (isBusy ? 0 : 1);
      if (isFull || !bucket.take()) {
        throw new TeeUnavailableError("Cannot quote: too many requests for quotes");
      }
      let isGivenUp = false;
      const turn = enqueue(() => tee.quote(reportData), () => isGivenUp);
      return await withPatience(turn, limits.patience, () => isGivenUp = true);
    },
  };
}
