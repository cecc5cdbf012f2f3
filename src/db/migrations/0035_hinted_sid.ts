import { sql } from "kysely";
import type { Kysely } from "kysely";

// What waits, an hour at the most, names an account in its place: the person is asked to sign out once more.
const STATEMENTS = [
  sql`delete from logout_request`,
  sql`alter table logout_request rename column hinted_account_id to hinted_sid`,
];

/** A waiting request to sign out says which session it was hinted at, and not only whose. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
