import { SECOND } from "./time.ts";

/** How often to look for what another process left, or what is due again. */
const POLL = 5 * SECOND;

/** How long a stop waits for what is being delivered. */
const STOP_LIMIT = 5 * SECOND;

/** What is delivered, and how. */
export interface Deliveries<R> {
  /** Rows in hand at once. */
  readonly concurrency: number;
  /** Takes up to `limit` rows that are due, for this process alone. */
  claim(limit: number, inHand: readonly R[]): Promise<readonly R[]>;
  /** Delivers one, puts it off or gives it up. */
  deliver(row: R): Promise<void>;
  /** Told of a claim or delivery that rejects. */
  failed(error: unknown): void;
  /** Breaks off what is in hand, where a stop has waited for long enough. */
  breakOff(): void;
}

/** What delivers the rows of a queue, beside everything else. */
export interface DeliveryWorker {
  /** Something may be due. */
  wake(): void;
  /** Takes no more, and resolves within a few seconds when nothing is in hand any more. */
  stop(): Promise<void>;
}

/** Starts delivering what is queued. Any number of processes may do so over one database. */
export function startDeliveryWorker<R>(
  { concurrency, claim, deliver, failed, breakOff }: Deliveries<R>,
): DeliveryWorker {
  const inHand = new Map<R, Promise<void>>();
  const state = { isStopped: false, isClaiming: false, isWoken: false };

  async function claimMore(): Promise<void> {
    const limit = concurrency - inHand.size;
    if (limit === 0 || state.isStopped) return;
    for (const row of await claim(limit, [...inHand.keys()])) {
      const job = deliver(row).catch(failed).finally(() => {
        inHand.delete(row);
        wake();
      });
      inHand.set(row, job);
    }
  }

  function wake(): void {
    state.isWoken = true;
    if (state.isClaiming || state.isStopped) return;
    state.isClaiming = true;
    void claimWhileWoken();
  }

  async function claimWhileWoken(): Promise<void> {
    while (state.isWoken) {
      state.isWoken = false;
      await claimMore().catch(failed);
    }
    state.isClaiming = false;
  }

  const poll = setInterval(wake, POLL);
  wake();
  return {
    wake,
    stop: async () => {
      state.isStopped = true;
      clearInterval(poll);
      const limit = setTimeout(breakOff, STOP_LIMIT);
      while (state.isClaiming || inHand.size > 0) {
        await Promise.allSettled(inHand.values());
        // A claim that was under way may have brought more.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      clearTimeout(limit);
    },
  };
}
