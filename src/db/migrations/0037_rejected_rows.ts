import { sql } from "kysely";
import type { Kysely } from "kysely";

/** The audit log without the way to rejected rows, which nobody looks for: each insertion opened it for nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index audit_event_rejected`.execute(db);
}
