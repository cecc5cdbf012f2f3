import { PROBLEM_MEANINGS } from "./problems.ts";
import { RATE_LIMIT_MEANINGS } from "./rate-limits.ts";
import { PROBLEMS } from "../../src/lib/error.ts";
import type { ProblemCode } from "../../src/lib/error.ts";
import { RATE_LIMITS } from "../../src/limits/rate-limit.ts";
import type { RateLimitName } from "../../src/limits/rate-limit.ts";
import type { Document } from "./client-api.ts";
import { fillMarkers, table } from "./markdown.ts";
import { pathTables } from "./path-tables.ts";

function problemTable(): string {
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).toSorted((a, b) =>
    PROBLEMS[a].status - PROBLEMS[b].status
  );
  return table(
    ["`code`", "Status", "Meaning"],
    codes.map((code) => [`\`${code}\``, String(PROBLEMS[code].status), PROBLEM_MEANINGS[code]]),
  );
}

const WINDOWS: Readonly<Record<number, string>> = { 60: "a minute", 600: "in ten minutes", 86_400: "a day" };

function rateLimitTable(): string {
  const names = Object.keys(RATE_LIMITS) as RateLimitName[];
  return table(
    ["Name", "Counted action", "Maximum"],
    names.map((name) => {
      const { limit, windowSeconds } = RATE_LIMITS[name];
      const [counts, per] = RATE_LIMIT_MEANINGS[name];
      return [`\`${name}\``, counts, `${limit.toLocaleString("en")} ${WINDOWS[windowSeconds]!} for ${per}`];
    }),
  );
}

/** Returns docs/reference/http-api.md with the tables of the description filled in. */
export function fillApiPage(text: string, document: Document): string {
  return fillMarkers(text, {
    "problem codes": problemTable(),
    "rate limits": rateLimitTable(),
    ...pathTables(document),
  });
}
