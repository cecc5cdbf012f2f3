import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in the new columns of what there was before: its MACs stay what they are.
const STATEMENTS = [
  sql`alter table client add column backchannel_logout_uri text`,
  sql`alter table client add column backchannel_logout_session integer
    check ((backchannel_logout_uri is null) = (backchannel_logout_session is null))`,
  sql`alter table authorization_grant add column sid text`,
  sql`create table application_session (
    id text primary key,
    session_id text not null references session (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    account_id text not null,
    created_at integer not null,
    mac blob not null,
    unique (session_id, client_id)
  ) strict`,
  sql`create index application_session_client_id on application_session (client_id)`,
  sql`create index application_session_account_id on application_session (account_id)`,
  // No reference to the account: its applications hear that it is gone when it is.
  sql`create table logout_notice (
    id text primary key,
    client_id text not null references client (id) on delete cascade,
    subject text not null,
    sid text,
    created_at integer not null,
    expires_at integer not null,
    attempts integer not null,
    next_attempt_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index logout_notice_client_id on logout_notice (client_id)`,
  sql`create index logout_notice_expires_at on logout_notice (expires_at)`,
  sql`create index logout_notice_next_attempt_at on logout_notice (next_attempt_at, id)`,
];

/** Which applications a session has signed the person in to, and the words to them that it is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
