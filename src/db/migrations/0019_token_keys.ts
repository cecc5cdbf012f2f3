import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Tokens that are bound to a key. Null in those that there were before: their MACs stay what they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_token add column jkt text`.execute(db);
}
