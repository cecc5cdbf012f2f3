import { type Language, LANGUAGES, LOCALES } from "./language.ts";
import { memoize } from "./memoize.ts";
import type { Instant } from "./time.ts";

const STYLES = {
  date: { dateStyle: "medium", timeZone: "UTC" },
  longDate: { dateStyle: "long", timeZone: "UTC" },
  dateTime: { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

type Style = keyof typeof STYLES;

const formats = new Map<`${Style} ${Language}`, Intl.DateTimeFormat>();
const MOST = Object.keys(STYLES).length * LANGUAGES.length;

function format(style: Style, language: Language, at: Instant): string {
  const make = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(LOCALES[language], STYLES[style]);
  return memoize(formats, `${style} ${language}`, MOST, make).format(at);
}

/** Formats a date in UTC: `31 Jan 2026`. */
export function formatDate(language: Language, at: Instant): string {
  return format("date", language, at);
}

/** Formats a date in UTC with its month in full: `31 January 2026`. */
export function formatLongDate(language: Language, at: Instant): string {
  return format("longDate", language, at);
}

/** Formats an instant in UTC to the minute: `31 Jan 2026, 09:30 UTC`. */
export function formatDateTime(language: Language, at: Instant): string {
  return `${format("dateTime", language, at)} UTC`;
}
