import { sql } from "kysely";
import type { Db } from "./schema.ts";

/**
 * Deletes the oldest rows of a table that strangers fill, but for the latest `limit`: so many wait at the most, whoever
 * sends them, and nobody who comes now is refused for it. Reads as many entries of an index as stay.
 */
export async function keepLatest(
  tx: Db,
  { table, limit }: { table: "authorization_request" | "logout_request"; limit: number },
): Promise<void> {
  const rows = sql.table(table);
  await sql`delete from ${rows} where expires_at < (
    select expires_at from ${rows} order by expires_at desc limit 1 offset ${limit - 1}
  )`.execute(tx);
}
