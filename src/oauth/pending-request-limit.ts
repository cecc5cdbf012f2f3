import type { Db } from "../db/schema/schema.ts";
import { keepLatest, type PendingTable } from "../db/sweep.ts";
import type { RandomBytes } from "../lib/id.ts";

/** Maximum number of pending requests of a kind: at the maximum size 250 MB, and 800 MB of pushed ones. */
const PENDING_LIMIT = 20_000;

/**
 * Deletes the oldest pending requests over the limit. Call it after each insertion. Runs once in 256 calls on
 * average, because it reads all that remain; a flood exceeds the limit by a few hundred.
 */
export async function limitPendingRequests(
  tx: Db,
  table: PendingTable,
  random: RandomBytes,
): Promise<void> {
  if (random(1)[0] === 0) await keepLatest(tx, { table, limit: PENDING_LIMIT });
}
