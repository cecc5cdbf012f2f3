import { sql } from "kysely";
import type { Kysely } from "kysely";

// Measured with 100,000 mails. Whether any is due is read off the first index, most of the time with no for an answer;
// which of those expires first off the second, without a look at a row; the newest off the third.
const STATEMENTS = [
  sql`drop index outbox_next_attempt_at`,
  sql`create index outbox_next_attempt_at on outbox (next_attempt_at) where attempts < 50`,
  sql`drop index outbox_expires_at`,
  sql`create index outbox_expires_at on outbox (expires_at, next_attempt_at, attempts, id)`,
  sql`create index outbox_created_at on outbox (created_at)`,
];

/** Indexes for a long outbox: that of a service whose mail server does not answer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
