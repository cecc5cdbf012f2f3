import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table sealed_seed (
    id integer primary key check (id = 1),
    version integer not null,
    seal_key_id text not null,
    sealed blob not null,
    created_at integer not null
  ) strict`,
  sql`create table account (
    id text primary key,
    email text unique,
    name text,
    created_at integer not null,
    mac blob not null
  ) strict`,
  sql`create table email_code (
    id text primary key,
    email text not null,
    purpose text not null,
    browser_hash text not null,
    code_mac blob not null,
    attempts integer not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    unique (email, purpose, browser_hash)
  ) strict`,
  sql`create index email_code_expires_at on email_code (expires_at)`,
  sql`create table sign_up_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null,
    email text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index sign_up_ticket_expires_at on sign_up_ticket (expires_at)`,
  sql`create table challenge (
    kind text not null check (kind in ('registration', 'authentication')),
    challenge text not null,
    bound_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (kind, challenge)
  ) strict`,
  sql`create index challenge_expires_at on challenge (expires_at)`,
  sql`create table passkey (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    credential_id blob not null unique,
    public_key blob not null,
    algorithm integer not null,
    aaguid text not null,
    backup_eligible integer not null check (backup_eligible in (0, 1)),
    backed_up integer not null check (backed_up in (0, 1)),
    sign_count integer not null,
    name text not null,
    transports text not null,
    created_at integer not null,
    last_used_at integer,
    mac blob not null
  ) strict`,
  sql`create index passkey_account_id on passkey (account_id)`,
  sql`create table session (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    passkey_id text not null references passkey (id) on delete cascade,
    created_at integer not null,
    authenticated_at integer not null,
    expires_at integer not null,
    last_seen_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index session_account_id on session (account_id)`,
  sql`create index session_passkey_id on session (passkey_id)`,
  sql`create index session_expires_at on session (expires_at)`,
  sql`create index session_last_seen_at on session (last_seen_at)`,
  sql`create table ethereum_key (
    id text primary key,
    account_id text not null references account (id),
    key_index integer not null check (key_index between 0 and 4294967295),
    address blob not null,
    public_key blob not null,
    label text not null,
    blind_signing text not null check (blind_signing in ('allow', 'guard', 'deny')),
    created_at integer not null,
    archived_at integer,
    mac blob not null,
    unique (account_id, key_index)
  ) strict`,
  sql`create table idempotent_answer (
    account_id text not null references account (id) on delete cascade,
    idempotency_key text not null,
    request_hash text not null,
    answer text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (account_id, idempotency_key)
  ) strict`,
  sql`create index idempotent_answer_expires_at on idempotent_answer (expires_at)`,
  sql`create table outbox (
    id text primary key,
    sealed blob not null,
    created_at integer not null,
    expires_at integer not null
  ) strict`,
  sql`create index outbox_expires_at on outbox (expires_at)`,
  sql`create table rate_limit (
    name text not null,
    subject text not null,
    full_at integer not null,
    primary key (name, subject)
  ) strict`,
  sql`create index rate_limit_full_at on rate_limit (full_at)`,
  sql`create table audit_event (
    seq integer primary key,
    at integer not null,
    event text not null,
    account_id text,
    subject text,
    detail text not null,
    hash blob not null,
    mac blob not null
  ) strict`,
  sql`create index audit_event_account_id on audit_event (account_id, seq)`,
  sql`create index audit_event_rejected on audit_event (subject) where event = 'row_rejected'`,
  sql`create trigger audit_event_no_update before update on audit_event
    begin select raise(abort, 'audit_event is append-only'); end`,
  sql`create trigger audit_event_no_delete before delete on audit_event
    begin select raise(abort, 'audit_event is append-only'); end`,
];

/** The first schema. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
