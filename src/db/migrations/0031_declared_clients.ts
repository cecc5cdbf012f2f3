import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Whether a file declares the client. Null in what there was before: its MACs stay what they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table client add column declared integer check (declared in (0, 1))`.execute(db);
}
