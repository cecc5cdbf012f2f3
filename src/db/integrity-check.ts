import { sql } from "kysely";
import { DatabaseError } from "./error.ts";
import type { HealthListener } from "./health.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

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

/** How far an audit log goes. */
export interface AuditEnd {
  readonly entries: number;
  /** `ENTRY:HASH` of the last entry, as `verify-audit --head` takes it. */
  readonly head: string;
}

/**
 * The end of the audit log as it stands there; number 0 for an empty one. Nobody has proven it: `verifyAudit` does.
 * Throws `DatabaseError` `damaged` for a last entry that has no number or no hash.
 */
export async function readAuditEnd(db: Db): Promise<AuditEnd> {
  const row = await db.selectFrom("audit_event").select([
    sql<string>`cast(audit_event.seq as text)`.as("seq"),
    "hash",
  ])
    .orderBy("audit_event.seq", "desc").limit(1).executeTakeFirst();
  const { seq, hash } = row ?? { seq: "0", hash: new Uint8Array(32) };
  if (
    !/^(?:0|[1-9]\d{0,14})$/.test(seq) || !((hash as unknown) instanceof Uint8Array) || hash.length !== 32
  ) {
    throw new DatabaseError("damaged", "Cannot read audit log: its last entry has no number or no hash");
  }
  return { entries: Number(seq), head: `${seq}:${hash.toHex()}` };
}
