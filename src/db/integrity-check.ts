import { sql } from "kysely";
import { DatabaseError } from "./error.ts";
import type { HealthListener } from "./health.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

export async function findDamage(db: Db): Promise<string[]> {
  return await engineOf(db).findDamage();
}

export async function checkpoint(db: Db): Promise<void> {
  await engineOf(db).checkpoint();
}

export async function checkDatabase(db: Db): Promise<void> {
  await engineOf(db).check();
}

export function watchHealth(db: Db, listener: HealthListener): void {
  engineOf(db).health.watch(listener);
}

/** Records a fault that another process found. Afterwards every transaction throws it. */
export function reportFault(db: Db, fault: DatabaseError): void {
  engineOf(db).health.report(fault);
}

export interface AuditEnd {
  readonly entries: number;
  /** `ENTRY:HASH` of the last entry, the format of `verify-audit --head`. */
  readonly head: string;
}

/**
 * Returns the stored end of the audit log; number 0 if it is empty. Does not verify it: `verifyAudit` does. Throws
 * `DatabaseError` `damaged` if the last entry has no valid number or hash.
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
