import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table identity (
    id text primary key,
    issuer text not null,
    subject text not null,
    account_id text not null references account (id) on delete cascade,
    created_at integer not null,
    mac blob not null,
    unique (issuer, subject)
  ) strict`,
  sql`create index identity_account_id on identity (account_id)`,
  sql`create table identity_request (
    provider text not null,
    state_hash text not null,
    browser_hash text not null,
    onward text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (provider, state_hash)
  ) strict`,
  sql`create index identity_request_expires_at on identity_request (expires_at)`,
  sql`create table sign_in_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index sign_in_ticket_account_id on sign_in_ticket (account_id)`,
  sql`create index sign_in_ticket_expires_at on sign_in_ticket (expires_at)`,
  // Whoever holds one of the old tickets, which live for minutes, begins the sign-up again.
  sql`drop table sign_up_ticket`,
  sql`create table sign_up_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null,
    email text,
    name text,
    issuer text,
    subject text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    check ((issuer is null) = (subject is null)),
    check (email is not null or subject is not null)
  ) strict`,
  sql`create index sign_up_ticket_expires_at on sign_up_ticket (expires_at)`,
];

/** Identities of other providers, linked to accounts, and what a sign-in with one passes through. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
