import { LANGUAGES, USUAL_LANGUAGE } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import type { RequestContext } from "../request-context.ts";

/** A browser names a handful of languages; what is longer than this is not read. */
const LONGEST = 1000;

/** A range with its weight (RFC 9110 sections 12.4.2 and 12.5.4). Only its first subtag matters to us. */
const RANGE = /^\s*(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The weights of a header by the first subtag of their ranges, `*` among them; the highest counts. */
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
 * The language of ours that a request likes best (`Accept-Language`, RFC 9110 section 12.5.4): of a range only the
 * first subtag counts, so `de-CH` is German; of two that it likes the same, the one it named first. Ours for everybody
 * where it likes none, and where the header is absent, longer than 1000 characters or malformed: a language is no
 * reason to refuse.
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

/**
 * Says in the answer which language it is in, and that another request could get another (RFC 9110 sections 8.5 and
 * 12.5.5).
 */
export function speak({ answerHeaders }: Pick<RequestContext, "answerHeaders">, language: Language): void {
  answerHeaders.set("language", [["content-language", language], ["vary", "accept-language"]]);
}
