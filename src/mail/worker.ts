import type { Db } from "../db/schema.ts";
import { startDeliveryWorker } from "../lib/delivery-worker.ts";
import type { DeliveryWorker } from "../lib/delivery-worker.ts";
import { claimDue, deliver } from "./delivery.ts";
import type { DeliveryServices } from "./delivery.ts";

/** Connections to one server, and no more than it may mind. */
const CONCURRENCY = 8;

/** Starts sending what is in the outbox. Any number of processes may do so over one database. */
export function startMailWorker(db: Db, services: DeliveryServices): DeliveryWorker {
  return startDeliveryWorker({
    concurrency: CONCURRENCY,
    claim: (limit) => claimDue(db, { limit, now: services.now() }),
    deliver: (row) => deliver(db, services, row),
    failed: (error) => services.log("error", "mail_failed", { error: String(error) }),
    breakOff: () => services.transport.close(),
  });
}
