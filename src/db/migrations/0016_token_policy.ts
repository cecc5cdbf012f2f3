import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in both columns: the MAC of a row from before goes on to hold (`later` in `vault/authority.ts`).
const STATEMENTS = [
  sql`alter table api_token add column revision integer`,
  sql`alter table api_token add column policy text`,
  sql`create table policy_use (
    holder_id text primary key,
    account_id text not null references account (id) on delete cascade,
    counts text not null,
    expires_at integer,
    mac blob not null
  ) strict`,
  sql`create index policy_use_account_id on policy_use (account_id)`,
  sql`create index policy_use_expires_at on policy_use (expires_at) where expires_at is not null`,
];

/** What a token may sign, and what was counted under a policy. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
