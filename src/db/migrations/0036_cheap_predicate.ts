import { sql } from "kysely";
import type { Kysely } from "kysely";

// A list of more than two is a table for SQLite, which it makes and fills at each insertion to see that the entry is none
// of them. A chain of comparisons ends at the length of a text.
const STATEMENTS = [
  sql`drop index audit_event_account_version`,
  sql`create index audit_event_account_version on audit_event (account_id, seq)
    where event = 'account_disabled' or event = 'account_enabled' or event = 'account_renamed'
      or event = 'email_changed' or event = 'email_change_taken_back'`,
];

/** The way to what the log says of the version of an account's row, at less for every other entry. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
