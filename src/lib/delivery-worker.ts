import { SECOND } from "./time.ts";

/** The interval for rows that another process left, and for retries. */
const POLL = 5 * SECOND;

/** The time that a stop waits for current deliveries. */
const STOP_LIMIT = 5 * SECOND;

export interface Deliveries<R> {
  readonly concurrency: number;
  /** Claims up to `limit` due rows for this process. */
  claim(limit: number, inFlight: readonly R[]): Promise<readonly R[]>;
  /** Delivers a row, postpones it or gives it up. */
  deliver(row: R): Promise<void>;
  failed(error: unknown): void;
  /** Aborts current deliveries when a stop has waited long enough. */
  abort(): void;
}

export interface DeliveryWorker {
  wake(): void;
  /** Claims no more rows, and resolves within a few seconds when no delivery is running. */
  stop(): Promise<void>;
}

export function startDeliveryWorker<R>(
  { concurrency, claim, deliver, failed, abort }: Deliveries<R>,
): DeliveryWorker {
  const inFlight = new Map<R, Promise<void>>();
  const state = { isStopped: false, isClaiming: false, isWoken: false };

  async function claimMore(): Promise<void> {
    const limit = concurrency - inFlight.size;
    if (limit === 0 || state.isStopped) return;
    for (const row of await claim(limit, [...inFlight.keys()])) {
      const job = deliver(row).catch(failed).finally(() => {
        inFlight.delete(row);
        wake();
      });
      inFlight.set(row, job);
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
      const limit = setTimeout(abort, STOP_LIMIT);
      while (state.isClaiming || inFlight.size > 0) {
        await Promise.allSettled(inFlight.values());
        // A claim that was running may have added deliveries.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      clearTimeout(limit);
    },
  };
}
