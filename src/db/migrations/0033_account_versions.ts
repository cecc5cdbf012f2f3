import { sql } from "kysely";
import type { Kysely } from "kysely";

/** The way to what the log says of the version of an account's row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_event_account_version on audit_event (account_id, seq)
    where event in (
      'account_disabled', 'account_enabled', 'account_renamed', 'email_changed', 'email_change_taken_back'
    )`.execute(db);
}
