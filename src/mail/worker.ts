import type { Db } from "../db/schema.ts";
import { SECOND } from "../lib/time.ts";
import { claimDue, deliver } from "./delivery.ts";
import type { DeliveryServices } from "./delivery.ts";

/** Mails in hand at once. */
const CONCURRENCY = 8;

/** How often to look for what another process left, or what is due again. */
const POLL = 5 * SECOND;

/** How long a stop waits for mails that are being sent. */
const STOP_LIMIT = 5 * SECOND;

/** What sends the mails of the outbox, beside everything else. */
export interface MailWorker {
  /** Something may be due. */
  wake(): void;
  /** Takes no more mails, and resolves within a few seconds when none is in hand any more. */
  stop(): Promise<void>;
}

/** Starts sending what is in the outbox. Any number of processes may do so over one database. */
export function startMailWorker(db: Db, services: DeliveryServices): MailWorker {
  const inHand = new Set<Promise<void>>();
  const state = { isStopped: false, isClaiming: false, isWoken: false };
  const failed = (error: unknown): void => services.log("error", "mail_failed", { error: String(error) });

  async function claim(): Promise<void> {
    const limit = CONCURRENCY - inHand.size;
    if (limit === 0 || state.isStopped) return;
    for (const row of await claimDue(db, { limit, now: services.now() })) {
      const job = deliver(db, services, row).catch(failed).finally(() => {
        inHand.delete(job);
        wake();
      });
      inHand.add(job);
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
      await claim().catch(failed);
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
      const limit = setTimeout(() => services.transport.close(), STOP_LIMIT);
      while (state.isClaiming || inHand.size > 0) {
        await Promise.allSettled(inHand);
        // A claim that was under way may have brought more.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      clearTimeout(limit);
    },
  };
}
