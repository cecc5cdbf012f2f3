export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON object a line, or readable text. */
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The named fields of a log event. Never a secret or a body. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Writes one event and never throws. The composition root provides it. */
export type Log = (level: LogLevel, event: string, fields: LogFields) => void;
