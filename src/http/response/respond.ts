import type { AnySchema, Of } from "../../api/value.ts";
import type { SigningRequest } from "../../keys/signing-requests/signing-request.ts";
import type { Html } from "../../lib/html.ts";

/** Further headers of an answer: pairs, because `set-cookie` may stand several times. */
export type ExtraHeaders = readonly (readonly [name: string, value: string])[];

function withHeaders(response: Response, headers: ExtraHeaders): Response {
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

/**
 * A JSON answer as its schema describes it, which the caller names (`json<typeof KeyAnswer>`): nothing is checked while
 * the service runs. `value` must be what JSON.stringify can show: no bigint, no undefined at the top.
 */
export function json<S extends AnySchema = AnySchema>(
  status: number,
  value: Of<S>,
  headers: ExtraHeaders = [],
): Response {
  const init = { status, headers: { "content-type": "application/json" } };
  return withHeaders(new Response(JSON.stringify(value), init), headers);
}

/** A line of text. */
export function text(status: number, value: string, headers: ExtraHeaders = []): Response {
  const init = { status, headers: { "content-type": "text/plain; charset=utf-8" } };
  return withHeaders(new Response(value, init), headers);
}

/** A page. */
export function htmlPage(status: number, page: Html, headers: ExtraHeaders = []): Response {
  const init = { status, headers: { "content-type": "text/html; charset=utf-8" } };
  return withHeaders(new Response(page.toString(), init), headers);
}

/** 204, for what has nothing to say. */
export function noContent(headers: ExtraHeaders = []): Response {
  return withHeaders(new Response(null, { status: 204 }), headers);
}

/**
 * Whether a text is a path on our own origin, fit to redirect to: it begins with exactly one slash and holds no
 * backslash, space or control character, which browsers read as other URLs.
 */
export function isLocalPath(text: string): boolean {
  return /^\/(?!\/)[!-[\]-~]*$/.test(text);
}

/** 303 to a path of ours (RFC 9110 section 15.4.4). Throws a TypeError for anything else: test input with `isLocalPath`. */
export function redirect(path: string, headers: ExtraHeaders = []): Response {
  if (!isLocalPath(path)) throw new TypeError("Cannot redirect: not a path of this origin");
  return withHeaders(new Response(null, { status: 303, headers: { location: path } }), headers);
}

/** 303 to another origin. The caller has checked that `url` is one it may send a browser to. */
export function redirectElsewhere(url: URL, headers: ExtraHeaders = []): Response {
  return withHeaders(new Response(null, { status: 303, headers: { location: url.href } }), headers);
}

/** When to look again, in seconds. */
const RETRY_AFTER = 5;

/** Of a request that waits: when to look again. */
export function retryHeader({ state }: SigningRequest): ExtraHeaders {
  return state === "pending" ? [["retry-after", String(RETRY_AFTER)]] : [];
}
