import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in what there was before: its MACs stay what they are.
const STATEMENTS = [
  sql`alter table client add column key_scopes text`,
  sql`alter table client add column dpop_bound integer check (dpop_bound in (0, 1))`,
  sql`alter table authorization_request add column dpop_jkt text`,
  sql`alter table authorization_request add column policy text`,
  sql`alter table authorization_grant add column jkt text`,
  sql`alter table authorization_grant add column keys text`,
  sql`alter table authorization_grant add column policy text`,
  sql`alter table authorization_grant add column ends_at integer`,
];

/** Applications that use keys: which clients may, and what was granted, to which key it is bound and until when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
