/** How much an event matters. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The named fields of a log event. What could hold a secret or a body is never one. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Writes one event. Handed in by the composition root; never throws. */
export type Log = (level: LogLevel, event: string, fields: LogFields) => void;
