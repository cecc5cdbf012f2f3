import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table client (
    id text primary key,
    name text not null,
    uri text not null,
    type text not null check (type in ('spa', 'native', 'web')),
    redirect_uris text not null,
    post_logout_redirect_uris text not null,
    id_token_alg text not null check (id_token_alg in ('ES256', 'RS256', 'EdDSA')),
    secret_hash text,
    disabled integer not null check (disabled in (0, 1)),
    created_at integer not null,
    updated_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index client_created_at on client (created_at, id)`,
  sql`create table authorization_request (
    id text primary key,
    client_id text not null references client (id) on delete cascade,
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
    mac blob not null
  ) strict`,
  sql`create index authorization_request_client_id on authorization_request (client_id)`,
  sql`create index authorization_request_expires_at on authorization_request (expires_at)`,
  sql`create table consent (
    account_id text not null references account (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    redirect_target text not null,
    scope text not null,
    created_at integer not null,
    mac blob not null,
    primary key (account_id, client_id, redirect_target)
  ) strict`,
  sql`create index consent_client_id on consent (client_id)`,
  sql`create table authorization_grant (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    scope text not null,
    authenticated_at integer not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index authorization_grant_account_id on authorization_grant (account_id, client_id)`,
  sql`create index authorization_grant_client_id on authorization_grant (client_id)`,
  sql`create index authorization_grant_expires_at on authorization_grant (expires_at)`,
  sql`create table authorization_code (
    id text primary key,
    secret_hash text not null,
    grant_id text not null references authorization_grant (id) on delete cascade,
    redirect_uri text not null,
    code_challenge text not null,
    nonce text,
    created_at integer not null,
    expires_at integer not null,
    used_at integer,
    mac blob not null
  ) strict`,
  sql`create index authorization_code_grant_id on authorization_code (grant_id)`,
  sql`create table refresh_token (
    id text primary key,
    secret_hash text not null,
    grant_id text not null references authorization_grant (id) on delete cascade,
    parent_id text,
    successor_id text,
    created_at integer not null,
    expires_at integer not null,
    spent_at integer,
    answer blob,
    mac blob not null
  ) strict`,
  sql`create index refresh_token_grant_id on refresh_token (grant_id)`,
  sql`create index refresh_token_expires_at on refresh_token (expires_at)`,
  sql`create index refresh_token_answer on refresh_token (spent_at) where answer is not null`,
  sql`create table logout_request (
    id text primary key,
    client_id text references client (id) on delete cascade,
    hinted_account_id text,
    redirect_uri text,
    state text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index logout_request_client_id on logout_request (client_id)`,
  sql`create index logout_request_expires_at on logout_request (expires_at)`,
  sql`create table token_key (
    id text primary key,
    algorithm text not null check (algorithm in ('ES256', 'RS256', 'EdDSA')),
    public_jwk text not null,
    sealed blob not null,
    created_at integer not null,
    signs_from integer not null,
    mac blob not null
  ) strict`,
];

/** Clients, what people granted them, and the keys that tokens are signed with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
