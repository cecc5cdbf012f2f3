import { sql } from "kysely";
import type { Kysely } from "kysely";

// Sessions and challenges from before lack what their MACs now cover, and no migration can make a MAC: everybody signs
// in once more. Nothing refers to either table.
const STATEMENTS = [
  sql`drop table session`,
  sql`create table session (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    passkey_id text not null references passkey (id) on delete cascade,
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
  sql`create index session_account_id on session (account_id)`,
  sql`create index session_passkey_id on session (passkey_id)`,
  sql`create index session_expires_at on session (expires_at)`,
  sql`create index session_last_seen_at on session (last_seen_at)`,
  sql`drop table challenge`,
  sql`create table challenge (
    kind text not null check (kind in ('registration', 'authentication', 'step_up')),
    challenge text not null,
    bound_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (kind, challenge)
  ) strict`,
  sql`create index challenge_expires_at on challenge (expires_at)`,
  sql`create table account_device (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    secret_hash text not null,
    created_at integer not null,
    last_seen_at integer not null,
    mac blob not null,
    unique (account_id, secret_hash)
  ) strict`,
  sql`create index account_device_last_seen_at on account_device (last_seen_at)`,
  sql`create table removed_passkey (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    credential_id blob not null unique,
    public_key blob not null,
    algorithm integer not null,
    backup_eligible integer not null check (backup_eligible in (0, 1)),
    sign_count integer not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index removed_passkey_account_id on removed_passkey (account_id)`,
  sql`create index removed_passkey_created_at on removed_passkey (created_at)`,
];

/** Where sessions are from and what they were stepped up for, the devices of accounts, and passkeys that were removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
