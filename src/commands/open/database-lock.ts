import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type DatabaseLock, type LockMode, tryLockDatabase } from "../../runtime/database-lock.ts";
import { type DatabaseLocation, isInMemory } from "./database.ts";
import { StartRefusal } from "../process/refusal.ts";

const REFUSED = {
  use: "is being restored: wait until that has finished",
  replace: "is in use: stop the service, and every other command on it, first",
} as const satisfies Record<LockMode, string>;

/** For databases that cannot be replaced: in memory, or on a server. */
const NO_LOCK: DatabaseLock = { release: () => {} };

/** Locks a database. Call it before the first read of the database. The lock ends with the process. */
export function lockDatabase(location: DatabaseLocation, mode: LockMode): DatabaseLock {
  const { databasePath, postgres } = location;
  if (postgres !== undefined || isInMemory(location)) return NO_LOCK;
  mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
  const lock = tryLockDatabase(databasePath, mode);
  if (lock === undefined) throw new StartRefusal(`The database ${databasePath} ${REFUSED[mode]}`);
  return lock;
}

export async function withDatabaseLock<T>(
  location: DatabaseLocation,
  mode: LockMode,
  job: () => Promise<T>,
): Promise<T> {
  const lock = lockDatabase(location, mode);
  try {
    return await job();
  } finally {
    lock.release();
  }
}
