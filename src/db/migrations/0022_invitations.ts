import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in the new columns of what there was before: its MACs stay what they are.
const STATEMENTS = [
  sql`alter table account add column disabled_at integer`,
  sql`alter table account add column revision integer`,
  sql`create index account_created_at on account (created_at, id)`,
  sql`alter table sign_up_ticket add column invitation_id text`,
  sql`create table invitation (
    id text primary key,
    secret_hash text not null,
    email text,
    uses integer not null,
    used integer not null check (used between 0 and uses),
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index invitation_created_at on invitation (created_at, id)`,
  sql`create index invitation_expires_at on invitation (expires_at)`,
  sql`create table admin_session (
    id text primary key,
    secret_hash text not null,
    account_id text references account (id) on delete cascade,
    session_id text,
    admin_key_hash text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index admin_session_account_id on admin_session (account_id)`,
  sql`create index admin_session_expires_at on admin_session (expires_at)`,
];

/** Who may make an account, whose account is disabled, and who is the administrator in which browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
