import { type OAuthParameters, printableName } from "../../oauth/parameters.ts";
import { hasNul } from "../../lib/text.ts";
import { OAuthError } from "../../oauth/error.ts";
import { type BodyOptions, readFormText } from "./body.ts";
import { readPairs } from "./parameters.ts";
import type { RequestContext } from "../request-context.ts";

export interface ReceivedParameters {
  readonly parameters: OAuthParameters;
  readonly repeated: ReadonlySet<string>;
}

function collect(text: string): ReceivedParameters {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of readPairs(text)) {
    if (parameters.has(name)) repeated.add(name);
    else parameters.set(name, value);
  }
  return { parameters, repeated };
}

/** Returns repeated names too. Throws `invalid_request` for malformed percent-encoding only. */
export function readOAuthQuery({ url }: RequestContext): ReceivedParameters {
  return collect(url.search.slice(1));
}

/** Reads the form's parameters like `readOAuthQuery`. Throws `unsupported_media_type` and `body_too_large` first. */
export async function readOAuthForm(
  context: RequestContext,
  options?: BodyOptions,
): Promise<ReceivedParameters> {
  return collect(await readFormText(context, options));
}

/**
 * Reads the form's parameters. Throws `invalid_request` for a repeated one (RFC 6749 section 3.2), or one with a NUL,
 * which the grammar excludes (appendix A).
 */
export async function readUniqueOAuthForm(
  context: RequestContext,
  options?: BodyOptions,
): Promise<OAuthParameters> {
  const { parameters, repeated } = await readOAuthForm(context, options);
  for (const name of repeated) throw new OAuthError("invalid_request", `Send ${printableName(name)} once`);
  for (const [name, value] of parameters) {
    if (hasNul(value)) throw new OAuthError("invalid_request", `Send ${printableName(name)} without a NUL`);
  }
  return parameters;
}
