import { sql } from "kysely";
import type { Db } from "./schema.ts";

/** What SQLite finds wrong with a database's pages, indexes and references; empty when nothing is. Reads it whole. */
export async function findDamage(db: Db): Promise<string[]> {
  const checked = await sql<{ integrity_check: string }>`pragma integrity_check(10)`.execute(db);
  const faults = checked.rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
  return [
    ...faults,
    ...rows.slice(0, 10).map(({ table, parent }) => `a row of ${table} refers to no ${parent}`),
  ];
}

/** The last entry's number and hash of the audit log; number 0 for an empty one. */
export async function readAuditHead(
  db: Db,
): Promise<{ readonly entries: number; readonly hash: Uint8Array }> {
  const row = await db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(1)
    .executeTakeFirst();
  return { entries: row?.seq ?? 0, hash: row?.hash ?? new Uint8Array(32) };
}
