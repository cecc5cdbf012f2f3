import { parseParameters } from "./parameters.ts";
import type { RequestContext } from "../request-context.ts";
import { readInput, type Schema } from "./input.ts";

/** Throws `invalid_request` for repeated parameters, and for unknown ones if the schema is a `strictObject`. */
export function readQuery<T>({ url }: RequestContext, schema: Schema<T>): T {
  return readInput(schema, parseParameters(url.search.slice(1)), "parameter");
}

/** Like `readQuery`, but ignores unknown parameters such as tracking tags. */
export function readPageQuery<T>(
  { url }: RequestContext,
  schema: Schema<T> & { readonly entries: Readonly<Record<string, unknown>> },
): T {
  const known = url.search.slice(1).split("&").filter((pair) =>
    Object.hasOwn(schema.entries, pair.split("=", 1)[0]!)
  );
  return readInput(schema, parseParameters(known.join("&")), "parameter");
}
