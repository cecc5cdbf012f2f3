import { type Language, LANGUAGES, USUAL_LANGUAGE } from "../../lib/language.ts";
import type { RequestContext } from "../request-context.ts";

/** Maximum header length in characters. Browsers send a handful of languages. */
const LONGEST = 1000;

/** A range with its weight (RFC 9110 sections 12.4.2 and 12.5.4). Captures only the first subtag. */
const RANGE = /^\s*(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** Returns the highest weight of each first subtag, `*` included. */
function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const text of header.split(",")) {
    const [, subtag, weight = "1"] = RANGE.exec(text) ?? [];
    if (subtag === undefined) continue;
    const name = subtag.toLowerCase();
    weights.set(name, Math.max(weights.get(name) ?? 0, Number(weight)));
  }
  return weights;
}

/**
 * Returns the supported language that `Accept-Language` prefers (RFC 9110 section 12.5.4). Compares first subtags only,
 * so that `de-CH` selects German. Of equal weights, the first in the header wins. Returns the default language if none
 * matches, or if the header is missing, longer than 1000 characters or malformed.
 */
export function acceptedLanguage(headers: Headers): Language {
  const header = headers.get("accept-language") ?? "";
  if (header.length > LONGEST) return USUAL_LANGUAGE;
  const weights = readWeights(header);
  const named = [...weights.keys()];
  const place = (language: Language): number => {
    const index = named.indexOf(language);
    return index < 0 ? named.length : index;
  };
  const liked = LANGUAGES.map((language) => ({
    language,
    weight: weights.get(language) ?? weights.get("*") ?? 0,
    place: place(language),
  })).filter(({ weight }) => weight > 0);
  liked.sort((one, other) => other.weight - one.weight || one.place - other.place);
  return liked[0]?.language ?? USUAL_LANGUAGE;
}

/** Sets `Content-Language` and `Vary` (RFC 9110 sections 8.5 and 12.5.5). */
export function setContentLanguage(
  { responseHeaders }: Pick<RequestContext, "responseHeaders">,
  language: Language,
): void {
  responseHeaders.set("language", [["content-language", language], ["vary", "accept-language"]]);
}
