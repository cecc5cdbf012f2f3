import { LANGUAGES, LOCALES } from "./language.ts";
import type { Language } from "./language.ts";
import { recall } from "./recall.ts";
import type { Instant } from "./time.ts";

const dates = new Map<Language, Intl.DateTimeFormat>();
const longDates = new Map<Language, Intl.DateTimeFormat>();
const moments = new Map<Language, Intl.DateTimeFormat>();

/** A date for people, in UTC: `31 Jan 2026`. */
export function dateIn(language: Language, at: Instant): string {
  const format = recall(
    dates,
    language,
    LANGUAGES.length,
    () => new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "medium", timeZone: "UTC" }),
  );
  return format.format(at);
}

/** A date for people with its month in words, in UTC: `31 January 2026`. */
export function longDateIn(language: Language, at: Instant): string {
  const format = recall(
    longDates,
    language,
    LANGUAGES.length,
    () => new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "long", timeZone: "UTC" }),
  );
  return format.format(at);
}

/** A moment for people, in UTC to the minute: `31 Jan 2026, 09:30 UTC`. */
export function momentIn(language: Language, at: Instant): string {
  const style = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  const format = recall(
    moments,
    language,
    LANGUAGES.length,
    () => new Intl.DateTimeFormat(LOCALES[language], style),
  );
  return `${format.format(at)} UTC`;
}
