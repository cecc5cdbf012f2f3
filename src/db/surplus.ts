import { sql } from "kysely";
import type { Db } from "./schema.ts";

/** Tables of which an account may have only so many rows, with what tells the latest of them. */
const LATEST_BY = {
  session: "last_seen_at",
  account_device: "last_seen_at",
  removed_passkey: "created_at",
} as const;

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

/** Deletes what an account has of a table beyond the latest `limit - 1` rows: one more has room then. */
export async function makeRoom(
  tx: Db,
  { table, accountId, limit }: { table: keyof typeof LATEST_BY; accountId: string; limit: number },
): Promise<void> {
  const rows = sql.table(table);
  await sql`delete from ${rows} where account_id = ${accountId} and id not in (
    select id from ${rows} where account_id = ${accountId}
    order by ${sql.ref(LATEST_BY[table])} desc, id limit ${limit - 1}
  )`.execute(tx);
}
