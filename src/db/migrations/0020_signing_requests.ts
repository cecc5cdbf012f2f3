import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table signing_request (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    key_id text not null,
    asker text not null,
    client_id text,
    asker_name text,
    network text not null,
    kind text not null check (kind in ('personal_sign', 'raw', 'digest', 'typed_data', 'transaction', 'authorization')),
    document blob,
    digest blob not null,
    reason text not null,
    state text not null check (state in ('pending', 'signed', 'declined', 'refused', 'withdrawn', 'expired')),
    code text,
    word text,
    created_at integer not null,
    expires_at integer not null,
    ended_at integer,
    mac blob not null
  ) strict`,
  sql`create index signing_request_account_id on signing_request (account_id, state, created_at, id)`,
  sql`create index signing_request_expires_at on signing_request (expires_at)`,
];

/** Signatures that owners are asked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
