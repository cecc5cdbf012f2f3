import { sql } from "kysely";
import type { Kysely } from "kysely";

// No reference to the grant, whose end would have to find and delete what may be tens of thousands of rows while
// everybody waits. Nothing is lost by beginning anew: 0015 ends all grants.
const STATEMENTS = [
  sql`drop table refresh_token`,
  sql`create table refresh_token (
    id text primary key,
    secret_hash text not null,
    grant_id text not null,
    parent_id text,
    successor_id text,
    created_at integer not null,
    expires_at integer not null,
    spent_at integer,
    answer blob,
    mac blob not null
  ) strict`,
  sql`create index refresh_token_expires_at on refresh_token (expires_at)`,
  sql`create index refresh_token_answer on refresh_token (spent_at) where answer is not null`,
];

/** Refresh tokens that are worth nothing when their grant is gone, and go when they expire. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
