import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in each of these columns: the MAC of a row from before goes on to hold (`later` in `vault/authority.ts`).
const STATEMENTS = [
  sql`alter table ethereum_key add column revision integer`,
  sql`alter table ethereum_key add column policy text`,
  sql`alter table ethereum_key add column policy_change text`,
  sql`alter table ethereum_key add column policy_change_at integer
    check ((policy_change is null) = (policy_change_at is null))`,
  sql`create index ethereum_key_policy_change_at on ethereum_key (policy_change_at, id)
    where policy_change_at is not null`,
  sql`create index audit_event_key_policy on audit_event (account_id, json_extract(detail, '$.keyIndex'), seq)
    where event = 'key_policy_changed'`,
];

/** What a key may sign, and what becomes of that; and the way to what the log says of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
