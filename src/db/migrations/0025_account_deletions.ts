import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`create table account_deletion (
    id text primary key,
    account_id text not null unique references account (id) on delete cascade,
    created_at integer not null,
    due_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index account_deletion_due_at on account_deletion (due_at, id)`,
];

/** Accounts that are to be deleted, unless somebody signs in to them before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
