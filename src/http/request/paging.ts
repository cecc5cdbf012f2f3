import * as v from "valibot";
import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import { foreignCursor } from "../../lib/error.ts";
import { hasNul } from "../../lib/text.ts";
import type { ExtraHeaders } from "../response/respond.ts";

const MAXIMUM_PAGE = 1000;

const pageLimit = v.pipe(
  v.string(),
  v.regex(/^[1-9][0-9]{0,3}$/, "Expected a whole number from 1 to 1000"),
  v.transform(Number),
  v.maxValue(MAXIMUM_PAGE),
);

/** The two query parameters of every list, to stand in its `strictObject`. */
export const pageParameters = {
  limit: v.optional(pageLimit, String(MAXIMUM_PAGE)),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,512}$/, "Expected a cursor of this list"))),
};

/**
 * Where the next page begins, as the opaque text a client hands back. It is not signed: a list is read by its owner
 * and the position, so a forged one only moves within what the caller may see.
 */
export function encodeCursor(position: string): string {
  return toBase64url(utf8(position));
}

/**
 * The position in a cursor, for the list to parse. Throws `invalid_request` for what `encodeCursor` cannot have made, such
 * as a text with a NUL, which no statement takes.
 */
export function decodeCursor(cursor: string): string {
  const bytes = fromBase64url(cursor);
  try {
    const text = bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text !== undefined && !hasNul(text)) return text;
  } catch {
    // Refused below, as every other cursor that is none.
  }
  throw foreignCursor();
}

/**
 * The `Link` to the next page (RFC 8288), with the other parameters of this one; nothing on the last page. `url` is the
 * context's.
 */
export function nextPageLink(url: URL, nextCursor: string | null): ExtraHeaders {
  if (nextCursor === null) return [];
  const next = new URL(url);
  next.searchParams.set("cursor", nextCursor);
  return [["link", `<${next.href}>; rel="next"`]];
}
