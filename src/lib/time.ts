/** Milliseconds since 1970-01-01T00:00:00Z. Every time in the database and inside the program is this. */
export type Instant = number;

/** The clock, passed in by the composition root. */
export type Clock = () => Instant;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Whether an instant is less than so long ago. One that is as far ahead is not recent either: the clock was set back
 * since, and would make it so for as long.
 */
export function isRecent(instant: Instant, now: Instant, lifetime: number): boolean {
  return Math.abs(now - instant) < lifetime;
}

/** ISO 8601 in UTC with milliseconds and `Z`, as JSON answers carry it. */
export function toIso(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** The instant of ISO 8601 in UTC to the second or the millisecond; undefined for anything else, 30 February among it. */
export function parseInstant(text: string): Instant | undefined {
  const iso = text.replace(/:(\d\d)Z$/, ":$1.000Z");
  const instant = Date.parse(iso);
  // `Date.parse` turns some impossible dates into possible ones.
  return Number.isNaN(instant) || toIso(instant) !== iso ? undefined : instant;
}

/**
 * The instant of a text of RFC 3339: a date and time to the second or millisecond with `Z` or an offset, or a date
 * alone, which is its first moment in UTC. Undefined for anything else, 30 February among it.
 */
export function parseTimestamp(text: string): Instant | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d{3})?(?:Z|([+-])(\d\d):(\d\d)))?$/.exec(text);
  if (parts === null) return undefined;
  const [, date, time = "00:00:00", fraction = ".000", sign, hours = "0", minutes = "0"] = parts;
  const local = parseInstant(`${date}T${time}${fraction}Z`);
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE;
  return sign === "-" ? local + offset : local - offset;
}
