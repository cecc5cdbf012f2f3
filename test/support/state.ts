import { connectDatabase } from "../../src/db/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { engineOf } from "../../src/db/port.ts";
import type { Db } from "../../src/db/schema/schema.ts";

/** Returns true for the error that rows do not add up to their owner's state. */
export function isInconsistent(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "inconsistent";
}

/** Opens another handle on the same database. It has no rows in memory, as after a start. */
export function openSecondHandle(db: Db): Db {
  return connectDatabase({ ...engineOf(db) });
}
