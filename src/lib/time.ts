/** Milliseconds since 1970-01-01T00:00:00Z. Every time in the database and inside the program is this. */
export type Instant = number;

/** The clock, passed in by the composition root. */
export type Clock = () => Instant;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

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
