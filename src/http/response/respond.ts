import type { AnySchema, Of } from "../../api/value.ts";
import type { SigningRequest } from "../../keys/signing-requests/signing-request.ts";
import type { Html } from "../../lib/html.ts";

/** Response headers as pairs, because `set-cookie` may be repeated. */
export type ExtraHeaders = readonly (readonly [name: string, value: string])[];

function withHeaders(response: Response, headers: ExtraHeaders): Response {
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

/**
 * Creates a JSON response. The caller names the schema as the type argument (`json<typeof KeyAnswer>`); it is not
 * checked at runtime. `value` must not contain a bigint, and must not be undefined.
 */
export function json<S extends AnySchema = AnySchema>(
  status: number,
  value: Of<S>,
  headers: ExtraHeaders = [],
): Response {
  const init = { status, headers: { "content-type": "application/json" } };
  return withHeaders(new Response(JSON.stringify(value), init), headers);
}

export function text(status: number, value: string, headers: ExtraHeaders = []): Response {
  const init = { status, headers: { "content-type": "text/plain; charset=utf-8" } };
  return withHeaders(new Response(value, init), headers);
}

export function htmlPage(status: number, page: Html, headers: ExtraHeaders = []): Response {
  const init = { status, headers: { "content-type": "text/html; charset=utf-8" } };
  return withHeaders(new Response(page.toString(), init), headers);
}

export function noContent(headers: ExtraHeaders = []): Response {
  return withHeaders(new Response(null, { status: 204 }), headers);
}

/** Returns true for a path of the service without what browsers parse differently: `//`, `\`, spaces, controls. */
export function isLocalPath(text: string): boolean {
  return /^\/(?!\/)[!-[\]-~]*$/.test(text);
}

/** Creates a 303 to a path. Throws a TypeError for anything else: check untrusted input with `isLocalPath`. */
export function redirect(path: string, headers: ExtraHeaders = []): Response {
  if (!isLocalPath(path)) throw new TypeError("Cannot redirect: not a path of this origin");
  return withHeaders(new Response(null, { status: 303, headers: { location: path } }), headers);
}

/** Creates a 303 to another origin. Does not check `url`: the caller must. */
export function redirectToUrl(url: URL, headers: ExtraHeaders = []): Response {
  return withHeaders(new Response(null, { status: 303, headers: { location: url.href } }), headers);
}

/** Seconds between two polls. */
const RETRY_AFTER = 5;

/** Returns `Retry-After` for a pending signing request. */
export function retryHeader({ state }: SigningRequest): ExtraHeaders {
  return state === "pending" ? [["retry-after", String(RETRY_AFTER)]] : [];
}
