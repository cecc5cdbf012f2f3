import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Proofs of possession that were used, until they count no more: in the order of their ends, so that few pages change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table dpop_proof (
    expires_at integer not null,
    id blob not null,
    primary key (expires_at, id)
  ) strict, without rowid`.execute(db);
}
