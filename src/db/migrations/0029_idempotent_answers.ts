import { sql } from "kysely";
import type { Kysely } from "kysely";

const STATEMENTS = [
  sql`drop table idempotent_answer`,
  sql`create table idempotent_answer (
    holder text not null,
    idempotency_key text not null,
    account_id text references account (id) on delete cascade,
    request_hash text not null,
    answer text not null,
    sealed blob,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (holder, idempotency_key)
  ) strict`,
  sql`create index idempotent_answer_account_id on idempotent_answer (account_id)`,
  sql`create index idempotent_answer_expires_at on idempotent_answer (expires_at)`,
];

/**
 * Answers under an `Idempotency-Key` are kept for whoever asked, the administrator and a session too, with a sealed
 * secret where they have one. Those that were kept, for 24 hours at most, are forgotten.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
