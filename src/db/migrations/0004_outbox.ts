import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`alter table outbox add column attempts integer not null default 0`,
  sql`alter table outbox add column next_attempt_at integer not null default 0`,
  sql`create index outbox_next_attempt_at on outbox (next_attempt_at)`,
];

/** When a mail is tried again, and how often it was. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
