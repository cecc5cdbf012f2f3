import { type Migration, type RawBuilder, sql } from "kysely";
import { INIT } from "./0001_init.ts";
import { SEAL_SLOTS } from "./0008_seal_slots.ts";

/**
 * The statements of each migration by its name, in order, numbered from 1 without a gap. A released migration is never
 * edited. A long one has a file of its own. Each statement is a template without parameters, in the SQL of a strict
 * SQLite table: `text`, `integer`, `blob`, `) strict`. `dialect/postgres-migration.ts` translates it for PostgreSQL and
 * refuses what it does not support. A test checks the numbers and every statement.
 */
const STATEMENTS: Readonly<Record<string, readonly RawBuilder<unknown>[]>> = {
  "0001_init": INIT,
  "0002_pushed_request": [
    sql`alter table client add column require_pushed integer`,
    sql`alter table authorization_request add column pushed_request_id text`,
    sql`create table pushed_request (
      id text primary key,
      client_id text not null references client (id) on delete cascade,
      parameters text not null,
      created_at integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index pushed_request_client_id on pushed_request (client_id)`,
    sql`create index pushed_request_expires_at on pushed_request (expires_at)`,
  ],
  "0003_resource": [
    sql`alter table authorization_request add column resource text`,
    sql`alter table authorization_grant add column resource text`,
  ],
  "0004_claims": [
    sql`alter table client add column claim_scopes text`,
    sql`alter table authorization_request add column claims text`,
    sql`alter table consent add column claims text`,
    sql`alter table consent add column wallets text`,
    sql`alter table authorization_grant add column claims text`,
    sql`alter table authorization_grant add column wallets text`,
    sql`alter table account add column updated_at integer`,
  ],
  "0005_signing_refusal": [
    sql`create table signing_refusal (
      holder_id text not null,
      hour integer not null,
      policy text not null,
      rule text not null,
      account_id text not null references account (id) on delete cascade,
      client_id text,
      count integer not null,
      first_at integer not null,
      last_at integer not null,
      primary key (holder_id, hour, policy, rule)
    ) strict`,
    sql`create index signing_refusal_account_id on signing_refusal (account_id)`,
    sql`create index signing_refusal_hour on signing_refusal (hour)`,
  ],
  "0006_client_document": [
    sql`alter table client add column auth_method text`,
    sql`alter table client add column jwks text`,
    sql`alter table client add column jwks_uri text`,
    // Pending requests are deleted. One of a client that describes itself has no row of `client` to refer to.
    sql`drop table authorization_request`,
    sql`create table authorization_request (
      id text primary key,
      client_id text not null,
      redirect_uri text not null,
      scope text not null,
      state text,
      nonce text,
      code_challenge text not null,
      prompt text not null,
      max_age integer,
      login_hint text,
      hinted_account_id text,
      browser_hash text,
      session_id text,
      created_at integer not null,
      expires_at integer not null,
      mac blob not null,
      dpop_jkt text,
      policy text,
      pushed_request_id text,
      resource text,
      claims text,
      client_document text
    ) strict`,
    sql`create index authorization_request_expires_at on authorization_request (expires_at)`,
  ],
  "0007_code_use": [
    sql`create table code_use (
      address_id text primary key,
      used_id text,
      used_at integer,
      tried_until integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index code_use_expires_at on code_use (expires_at)`,
  ],
  "0008_seal_slots": SEAL_SLOTS,
  "0009_webhook": [
    sql`create table webhook (
      id text primary key,
      subject text,
      url text not null,
      events text not null,
      signature text not null,
      created_at integer not null,
      mac blob not null
    ) strict`,
    sql`create table webhook_delivery (
      id text primary key,
      webhook_id text not null references webhook (id) on delete cascade,
      body text not null,
      created_at integer not null,
      state text not null,
      expires_at integer not null,
      attempts integer not null,
      next_attempt_at integer not null,
      result text,
      settled_at integer,
      mac blob not null
    ) strict`,
    sql`create index webhook_delivery_webhook_id on webhook_delivery (webhook_id, created_at, id)`,
    sql`create index webhook_delivery_state on webhook_delivery (webhook_id, state)`,
    sql`create index webhook_delivery_next_attempt_at on webhook_delivery (next_attempt_at, id)`,
    sql`create index webhook_delivery_created_at on webhook_delivery (created_at)`,
    sql`create table webhook_position (id integer primary key, seq integer not null) strict`,
  ],
  "0010_groups": [
    sql`alter table client add column groups text`,
    sql`create table user_group (
      id text primary key,
      name text not null unique,
      created_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index user_group_created_at on user_group (created_at, id)`,
    sql`create table group_member (
      id text primary key,
      group_id text not null,
      account_id text not null references account (id),
      created_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index group_member_account_id on group_member (account_id, group_id)`,
    sql`create index group_member_group_id on group_member (group_id)`,
  ],
  "0011_administrator_address": [
    sql`create table administrator_address (
      email text primary key,
      account_id text not null,
      created_at integer not null,
      mac blob not null
    ) strict`,
  ],
  "0012_purpose": [
    sql`alter table signing_request add column purpose text`,
  ],
  "0013_session_length": [
    sql`alter table session add column idle_ms integer`,
    sql`alter table session add column is_shared integer`,
  ],
  "0014_device_request": [
    sql`alter table client add column device_grant integer`,
    sql`create table device_request (
      id text primary key,
      client_id text not null references client (id) on delete cascade,
      secret_hash text not null,
      user_code text not null unique,
      scope text not null,
      claims text,
      policy text,
      resource text,
      dpop_jkt text,
      network text not null,
      state text not null,
      account_id text,
      grant_id text,
      created_at integer not null,
      expires_at integer not null,
      polled_at integer,
      poll_interval integer not null,
      mac blob not null
    ) strict`,
    sql`create index device_request_client_id on device_request (client_id)`,
    sql`create index device_request_account_id on device_request (account_id)`,
    sql`create index device_request_expires_at on device_request (expires_at)`,
  ],
  "0015_push": [
    sql`create table push_subscription (
      id text primary key,
      account_id text not null references account (id),
      session_id text not null unique,
      endpoint text not null,
      p256dh text not null,
      auth text not null,
      created_at integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index push_subscription_account_id on push_subscription (account_id, created_at, id)`,
    sql`create index push_subscription_expires_at on push_subscription (expires_at)`,
    sql`create table push_delivery (
      id text primary key,
      subscription_id text not null references push_subscription (id) on delete cascade,
      body text not null,
      created_at integer not null,
      expires_at integer not null,
      attempts integer not null,
      next_attempt_at integer not null,
      mac blob not null
    ) strict`,
    sql`create index push_delivery_subscription_id on push_delivery (subscription_id)`,
    sql`create index push_delivery_next_attempt_at on push_delivery (next_attempt_at, id)`,
    sql`create index push_delivery_expires_at on push_delivery (expires_at)`,
  ],
  "0016_answered_challenge": [
    sql`alter table passkey add column answered text`,
  ],
  // A response was in the row of the used token. It is now in the row of the token that it contains.
  "0017_token_answer": [
    sql`drop index refresh_token_answer`,
    sql`update refresh_token
      set answer = (select parent.answer from refresh_token as parent where parent.id = refresh_token.parent_id)
      where spent_at is null`,
    sql`update refresh_token set answer = null where spent_at is not null`,
    sql`create index refresh_token_answer on refresh_token (created_at) where answer is not null`,
  ],
  // A code was a row of its own. It is now in its grant. Codes from before are refused: they live for a minute. A
  // replay of one that was used does not end its grant.
  "0018_code_in_grant": [
    sql`alter table authorization_grant add column session_id text`,
    sql`alter table authorization_grant add column code text`,
    sql`drop table authorization_code`,
  ],
};

function toMigration(statements: readonly RawBuilder<unknown>[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await statement.execute(db);
    },
  };
}

/** All migrations by name, in order. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = Object.fromEntries(
  Object.entries(STATEMENTS).map(([name, statements]) => [name, toMigration(statements)]),
);

/** The migration that moved the seed into slots. Before it, the seed is the row of `sealed_seed`. */
export const SLOTS_MIGRATION = "0008_seal_slots";

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);
