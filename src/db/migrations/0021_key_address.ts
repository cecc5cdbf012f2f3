import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Keys are asked for by their addresses, of which an account has no two alike: each is derived for its index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index ethereum_key_address on ethereum_key (account_id, address)`.execute(db);
}
