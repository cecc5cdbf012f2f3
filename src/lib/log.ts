import type { LogEventName, LogFieldsOf, LogLevelOf, LogValue } from "./log-events.ts";

/** One JSON object a line, or readable text. */
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The named fields of any log event. */
export type LogFields = Readonly<Record<string, LogValue>>;

/** Writes one event of `LOG_EVENTS` and never throws. The composition root provides it. */
export type Log = <E extends LogEventName>(level: LogLevelOf<E>, event: E, fields: LogFieldsOf<E>) => void;
