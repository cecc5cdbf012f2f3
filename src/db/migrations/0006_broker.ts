import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table release_challenge (
    nonce text primary key,
    workload text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index release_challenge_expires_at on release_challenge (expires_at)`,
  sql`create table release_key (
    workload text primary key,
    sealed blob not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
];

/** What a release broker keeps: its challenges and the sealing keys it releases. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
