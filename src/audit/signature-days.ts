import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { DAY, type Instant, toIso } from "../lib/time.ts";
import { SIGNATURE_EVENTS } from "./event.ts";

/** The maximum number of an account's entries counted. */
const LOOKBACK = 20_000;

/**
 * Counts an account's logged signatures per UTC day, oldest first, including days without any. Considers only the
 * latest entries. The entries are not verified: use the result for display only.
 */
export async function countSignatureDays(
  db: Db,
  { accountId, days, now }: { readonly accountId: string; readonly days: number; readonly now: Instant },
): Promise<readonly { readonly date: string; readonly count: number }[]> {
  const today = Math.floor(now / DAY);
  const first = today - days + 1;
  const latest = db.selectFrom("audit_event").select(["at", "event"]).where("account_id", "=", accountId)
    .orderBy("seq", "desc").limit(LOOKBACK).as("latest");
  const rows = await db.selectFrom(latest)
    .select([
      sql<number>`cast(latest.at / ${DAY} as bigint)`.as("day"),
      (row) => row.fn.countAll().as("count"),
    ])
    .where("latest.event", "in", SIGNATURE_EVENTS).where("latest.at", ">=", first * DAY)
    .groupBy("day").execute();
  const counts = new Map(rows.map(({ day, count }) => [Number(day), Number(count)]));
  return Array.from({ length: days }, (_, index) => ({
    date: toIso((first + index) * DAY).slice(0, 10),
    count: counts.get(first + index) ?? 0,
  }));
}
