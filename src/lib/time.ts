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
