import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table account_recovery (
    account_id text primary key references account (id) on delete cascade,
    revision integer not null,
    delay_hours integer not null,
    email_alone integer not null check (email_alone in (0, 1)),
    sheet integer,
    codes_left integer not null,
    codes_made_at integer,
    recovery_id text unique,
    way text check (way in ('code_and_email', 'email', 'code')),
    secret_hash text,
    code_hash text,
    device text,
    network text,
    begun_at integer,
    ready_at integer,
    ends_at integer,
    begun_ran integer,
    settled_at integer,
    settled_ran integer,
    ran integer not null,
    look_at integer,
    mac blob not null
  ) strict`,
  sql`create index account_recovery_look_at on account_recovery (look_at, account_id)
    where look_at is not null`,
  sql`create table recovery_code (
    code_hash text primary key,
    account_id text not null references account (id) on delete cascade,
    sheet integer not null,
    number integer not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index recovery_code_account_id on recovery_code (account_id, number)`,
  sql`create index audit_event_recovery on audit_event (account_id, seq)
    where event = 'recovery_changed'`,
];

/** The ways back into accounts whose passkeys are lost, and the way to what the log says of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
