import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table audit_checkpoint (
    id integer primary key check (id = 1),
    seq integer not null,
    hash blob not null,
    mac blob not null
  ) strict`,
  sql`create index audit_event_turn on audit_event (seq)
    where event in ('log_fault_noticed', 'rollback_acknowledged')`,
];

/** How far the audit log was proven, and the way to what it says of itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
