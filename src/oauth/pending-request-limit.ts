import type { Db } from "../db/schema/schema.ts";
import { keepLatest } from "../db/sweep.ts";
import type { RandomBytes } from "../lib/id.ts";

/** Requests of a kind that may wait for people at the same time: 250 MB of the longest there can be. */
const WAITING_LIMIT = 20_000;

/**
 * Keeps what strangers let wait to its limit, for whoever has just added a request: the oldest ones go. Done after one
 * in 256 of them on the average, because it reads what stays; a flood is a few hundred over the limit at the most.
 */
export async function boundWaiting(
  tx: Db,
  table: "authorization_request" | "logout_request",
  random: RandomBytes,
): Promise<void> {
  if (random(1)[0] === 0) await keepLatest(tx, { table, limit: WAITING_LIMIT });
}
