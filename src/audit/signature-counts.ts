import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import { DAY, type Instant, toIso } from "../lib/time.ts";
import { SIGNATURE_EVENTS } from "./event.ts";

/** The maximum number of an account's entries counted. */
const LOOKBACK = 20_000;

/** The signatures of a key, or for a program, per day. */
export interface SignatureSeries {
  /** The id of the key, token or client; null for the owner. */
  readonly id: string | null;
  /** One number for each day, oldest first. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface SignatureCounts {
  /** UTC dates, such as `2026-01-31`, oldest first, including days without a signature. */
  readonly days: readonly { readonly date: string; readonly count: number }[];
  /** Those with signatures, the most first. */
  readonly keys: readonly SignatureSeries[];
  /** Those with signatures, the owner among them, the most first. */
  readonly programs: readonly SignatureSeries[];
}

interface Counted {
  readonly day: number;
  readonly key: string | null;
  readonly program: string | null;
  readonly count: number;
}

/**
 * Counts an account's logged signatures per UTC day, by key and by program. Considers only the latest entries. The
 * entries are not verified: use the result for display only.
 */
export async function countSignatures(
  db: Db,
  { accountId, keyId, days, now }: {
    readonly accountId: string;
    /** Counts only those of this key. */
    readonly keyId: string | undefined;
    readonly days: number;
    readonly now: Instant;
  },
): Promise<SignatureCounts> {
  const first = Math.floor(now / DAY) - days + 1;
  const all = await countSince(db, accountId, first);
  const counted = keyId === undefined ? all : all.filter(({ key }) => key === keyId);
  const sums = sumPerDay(counted, { first, days });
  return {
    days: sums.map((count, index) => ({ date: toIso((first + index) * DAY).slice(0, 10), count })),
    keys: listSeries(counted, ({ key }) => key, { first, days }),
    programs: listSeries(counted, ({ program }) => program, { first, days }),
  };
}

async function countSince(db: Db, accountId: string, first: number): Promise<readonly Counted[]> {
  const { jsonText } = languageOf(db);
  const latest = db.selectFrom("audit_event").select(["at", "event", "subject", "detail"])
    .where("account_id", "=", accountId).orderBy("seq", "desc").limit(LOOKBACK).as("latest");
  const rows = await db.selectFrom(latest)
    .select([
      sql<number>`cast(latest.at / ${DAY} as bigint)`.as("day"),
      "latest.subject as key",
      sql<string | null>`coalesce(${jsonText("latest.detail", "client")}, ${jsonText("latest.detail", "by")})`
        .as("program"),
      (row) => row.fn.countAll().as("count"),
    ])
    .where("latest.event", "in", SIGNATURE_EVENTS).where("latest.at", ">=", first * DAY)
    .groupBy(["day", "key", "program"]).execute();
  return rows.map(({ day, key, program, count }) => ({
    day: Number(day),
    key,
    program,
    count: Number(count),
  }));
}

interface Period {
  /** The first day since 1970. */
  readonly first: number;
  readonly days: number;
}

function sumPerDay(counted: readonly Counted[], { first, days }: Period): readonly number[] {
  const sums = Array.from({ length: days }, () => 0);
  // An entry ahead of the clock has no day.
  for (const { day, count } of counted) if (day - first < days) sums[day - first]! += count;
  return sums;
}

function listSeries(
  counted: readonly Counted[],
  idOf: (one: Counted) => string | null,
  period: Period,
): readonly SignatureSeries[] {
  return [...Map.groupBy(counted, idOf)].map(([id, own]) => {
    const counts = sumPerDay(own, period);
    return { id, counts, sum: counts.reduce((sum, count) => sum + count, 0) };
  }).filter(({ sum }) => sum > 0).sort((one, other) =>
    other.sum - one.sum || (`${one.id}` < `${other.id}` ? -1 : 1)
  );
}
