import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table api_token (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    name text not null,
    keys text not null,
    actions text not null,
    networks text,
    created_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    last_used_network text,
    mac blob not null
  ) strict`,
  sql`create index api_token_account_id on api_token (account_id)`,
  sql`create index api_token_expires_at on api_token (expires_at)`,
];

/** Tokens with which programs use keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
