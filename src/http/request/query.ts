import { parseParameters } from "./parameters.ts";
import type { RequestContext } from "../request-context.ts";
import { NO_MEMBERS, readInput, type Schema } from "./input.ts";

/**
 * The query as its schema reads it, from an object of texts. Throws `invalid_request` for duplicates, and for unknown
 * parameters where the schema is a `strictObject`.
 */
export function readQuery<T>({ url }: RequestContext, schema: Schema<T>): T {
  return readInput(schema, parseParameters(url.search.slice(1)), "parameter");
}

/**
 * The same for a page: of the query only what the schema names is read. Whoever links to a page, or counts its visitors,
 * may add what they like.
 */
export function readPageQuery<T>(
  { url }: RequestContext,
  schema: Schema<T> & { readonly entries: Readonly<Record<string, unknown>> },
): T {
  const known = url.search.slice(1).split("&").filter((pair) =>
    Object.hasOwn(schema.entries, pair.split("=", 1)[0]!)
  );
  return readInput(schema, parseParameters(known.join("&")), "parameter");
}

/** Refuses a query with any parameter. As `readQuery` otherwise. */
export function readNoQuery(context: RequestContext): void {
  readQuery(context, NO_MEMBERS);
}
