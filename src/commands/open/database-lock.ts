import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type DatabaseHold, holdDatabase, type HoldKind } from "../../runtime/database-lock.ts";
import { type DatabasePlace, isInMemory } from "./database.ts";
import { StartRefusal } from "../process/refusal.ts";

const REFUSED = {
  use: "is being restored: wait until that is done",
  replace: "is in use: stop the service, and every other command on it, first",
} as const satisfies Record<HoldKind, string>;

/** For databases that cannot be replaced: in memory, or on a server. */
const NOTHING_TO_HOLD: DatabaseHold = { release: () => {} };

/** Locks a database. Call it before the first read of the database. The lock ends with the process. */
export function hold(place: DatabasePlace, kind: HoldKind): DatabaseHold {
  const { databasePath, postgres } = place;
  if (postgres !== undefined || isInMemory(place)) return NOTHING_TO_HOLD;
  mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
  const held = holdDatabase(databasePath, kind);
  if (held === undefined) throw new StartRefusal(`The database ${databasePath} ${REFUSED[kind]}`);
  return held;
}

export async function whileHeld<T>(
  place: DatabasePlace,
  kind: HoldKind,
  job: () => Promise<T>,
): Promise<T> {
  const held = hold(place, kind);
  try {
    return await job();
  } finally {
    held.release();
  }
}
