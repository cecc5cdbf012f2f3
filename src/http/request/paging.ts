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

/** The query parameters of every list, for its `strictObject`. */
export const pageParameters = {
  limit: v.optional(pageLimit, String(MAXIMUM_PAGE)),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,512}$/, "Expected a cursor of this list"))),
};

/** Encodes a position as an opaque cursor. Not signed: a forged one only moves within the caller's own list. */
export function encodeCursor(position: string): string {
  return toBase64url(utf8(position));
}

/**
 * Decodes a cursor; the list parses the position. Throws `invalid_request` for text that `encodeCursor` cannot produce,
 * such as one with a NUL, which no SQL statement accepts.
 */
export function decodeCursor(cursor: string): string {
  const bytes = fromBase64url(cursor);
  try {
    const text = bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text !== undefined && !hasNul(text)) return text;
  } catch {
    // Malformed UTF-8 is refused below.
  }
  throw foreignCursor();
}

/** Returns the `Link` to the next page (RFC 8288); empty on the last page. `url` is the context's. */
export function nextPageLink(url: URL, nextCursor: string | null): ExtraHeaders {
  if (nextCursor === null) return [];
  const next = new URL(url);
  next.searchParams.set("cursor", nextCursor);
  return [["link", `<${next.href}>; rel="next"`]];
}
