import { engineOf } from "./port.ts";
import type { Db } from "./schema.ts";

/** What is wrong with a database's pages, indexes and references; empty when nothing is. Reads it whole. */
export async function findDamage(db: Db): Promise<string[]> {
  return await engineOf(db).findDamage();
}

/** The last entry's number and hash of the audit log; number 0 for an empty one. */
export async function readAuditHead(
  db: Db,
): Promise<{ readonly entries: number; readonly hash: Uint8Array }> {
  const row = await db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(1)
    .executeTakeFirst();
  return { entries: row?.seq ?? 0, hash: row?.hash ?? new Uint8Array(32) };
}
