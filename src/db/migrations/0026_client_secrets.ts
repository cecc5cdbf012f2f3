import { sql } from "kysely";
import type { Kysely } from "kysely";

// Null in what there was before: its MACs stay what they are.
const STATEMENTS = [
  sql`alter table client add column previous_secret_hash text`,
  sql`alter table client add column previous_secret_expires_at integer
    check ((previous_secret_hash is null) = (previous_secret_expires_at is null))`,
];

/** The secret that a client had before, for as long as it counts beside the present one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
