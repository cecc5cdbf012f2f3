import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table email_change (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    old_email text not null,
    new_email text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index email_change_account_id on email_change (account_id, created_at, id)`,
  sql`create index email_change_old_email on email_change (old_email, expires_at, id)`,
  sql`create index email_change_expires_at on email_change (expires_at)`,
  sql`alter table identity_request add column session_id text`,
];

/** Accounts change: their address, which can be taken back, their name, and the providers that know whose they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
