import { sql } from "kysely";
import type { Kysely } from "kysely";

/** The language of somebody's pages and mails: English for whoever was here before there was another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table account add column language text not null default 'en'`.execute(db);
}
