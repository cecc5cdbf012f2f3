import { sql } from "kysely";
import { BEGINNING } from "../../src/audit/stored-entry.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import { engineOf } from "../../src/db/port.ts";
import type { Db } from "../../src/db/schema/schema.ts";

/** As if the process had just started: it knows nothing of the log. */
export function forgetLog(db: Db): void {
  const unknown = { known: undefined, fault: undefined, turn: 0, acknowledged: 0, coveredUntil: 0 };
  Object.assign(watchOf(db), { ...unknown, soundFrom: BEGINNING, letPass: undefined });
}

/** What keeps the log append-only, out of the way: somebody who can write the file can take it out. */
export async function dropLogTriggers(db: Db): Promise<void> {
  await sql`drop trigger if exists audit_event_no_delete`.execute(db);
  await sql`drop trigger if exists audit_event_no_update`.execute(db);
}

/** The schema's number put back after an edit: no handle on the file notices by it. */
export async function hideEdit(...dbs: readonly Db[]): Promise<void> {
  for (const db of dbs) await engineOf(db).watchSchema();
}
