/** Milliseconds since 1970-01-01T00:00:00Z, in the database and in the program. */
export type Instant = number;

/** Returns the current time. The composition root provides it. */
export type Clock = () => Instant;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns true for less than `lifetime` ago or ahead. Further ahead is not recent: the clock was set back. */
export function isRecent(instant: Instant, now: Instant, lifetime: number): boolean {
  return Math.abs(now - instant) < lifetime;
}

/** Formats ISO 8601 in UTC with milliseconds and `Z`, as in JSON responses. */
export function toIso(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** Parses ISO 8601 in UTC to the second or millisecond. Returns undefined for anything else, including 30 February. */
export function parseInstant(text: string): Instant | undefined {
  const iso = text.replace(/:(\d\d)Z$/, ":$1.000Z");
  const instant = Date.parse(iso);
  // `Date.parse` turns some impossible dates into possible ones.
  return Number.isNaN(instant) || toIso(instant) !== iso ? undefined : instant;
}

/**
 * Parses RFC 3339 to the second or millisecond, with `Z` or an offset. A date alone means its first instant in UTC.
 * Returns undefined for anything else, including 30 February.
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
