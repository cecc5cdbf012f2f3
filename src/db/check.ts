import type { HealthListener } from "./health.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema.ts";

/** What is wrong with a database's pages, indexes and references; empty when nothing is. Reads it whole. */
export async function findDamage(db: Db): Promise<string[]> {
  return await engineOf(db).findDamage();
}

/** Moves what was committed from the log to where it stays. */
export async function checkpoint(db: Db): Promise<void> {
  await engineOf(db).checkpoint();
}

/** Throws `DatabaseError` while the database cannot be read or written. */
export async function checkDatabase(db: Db): Promise<void> {
  await engineOf(db).check();
}

/** Calls the listener with each fault that keeps the database from being written, and with undefined when it is over. */
export function watchHealth(db: Db, listener: HealthListener): void {
  engineOf(db).health.watch(listener);
}

/** The last entry's number and hash of the audit log; number 0 for an empty one. */
export async function readAuditHead(
  db: Db,
): Promise<{ readonly entries: number; readonly hash: Uint8Array }> {
  const row = await db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(1)
    .executeTakeFirst();
  return { entries: row?.seq ?? 0, hash: row?.hash ?? new Uint8Array(32) };
}
