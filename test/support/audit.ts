import { sql } from "kysely";
import { BEGINNING } from "../../src/audit/stored-entry.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import { engineOf } from "../../src/db/port.ts";
import type { Db } from "../../src/db/schema/schema.ts";

/** Clears what the process knows of the log, as after a start. */
export function forgetLog(db: Db): void {
  const unknown = { known: undefined, followed: undefined, trustedFrom: BEGINNING, acceptedBreak: undefined };
  const nothing = { fault: undefined, statusEvent: 0, acknowledged: 0, coveredUntil: 0 };
  Object.assign(watchOf(db), { ...unknown, ...nothing });
}

/** Drops the triggers that keep the log append-only. An attacker who can write the file can do so. */
export async function dropLogTriggers(db: Db): Promise<void> {
  await sql`drop trigger if exists audit_event_no_delete`.execute(db);
  await sql`drop trigger if exists audit_event_no_update`.execute(db);
}

/** Restores the schema version after an edit, so that no connection notices the edit by it. */
export async function hideEdit(...dbs: readonly Db[]): Promise<void> {
  for (const db of dbs) await engineOf(db).watchSchema();
}

/** Makes each insertion into the log fail. Its end can still be read. */
export async function failLogWrites(db: Db): Promise<void> {
  await db.schema.alterTable("audit_event").renameColumn("detail", "detail_gone").execute();
}
