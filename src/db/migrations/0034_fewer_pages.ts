import { sql } from "kysely";
import type { Kysely } from "kysely";

// Each index is a page that a sign-in changes and that no other sign-in changes at that time, and each reference one that
// it reads. Whoever removes a passkey ends the sessions that it opened, and whoever forgets an account deletes its rows
// (`forget-account.ts`): no reference did it for them. A browser is asked for by its account and secret, and never by id.
const STATEMENTS = [
  sql`create table session_new (
    id text primary key,
    secret_hash text not null,
    account_id text not null,
    passkey_id text not null,
    device_id text not null,
    device text not null,
    network text not null,
    created_at integer not null,
    authenticated_at integer not null,
    step_up_action text,
    stepped_up_at integer,
    expires_at integer not null,
    last_seen_at integer not null,
    mac blob not null
  ) strict`,
  sql`insert into session_new select * from session`,
  sql`drop table session`,
  sql`alter table session_new rename to session`,
  sql`create index session_account_id on session (account_id)`,
  sql`create index session_expires_at on session (expires_at)`,
  sql`create index session_last_seen_at on session (last_seen_at)`,
  sql`create table account_device_new (
    id text not null,
    account_id text not null,
    secret_hash text not null,
    created_at integer not null,
    last_seen_at integer not null,
    mac blob not null,
    primary key (account_id, secret_hash)
  ) strict`,
  sql`insert into account_device_new select * from account_device`,
  sql`drop table account_device`,
  sql`alter table account_device_new rename to account_device`,
  sql`create index account_device_last_seen_at on account_device (last_seen_at)`,
];

/** Sessions and browsers without the indexes and references that only cost pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
