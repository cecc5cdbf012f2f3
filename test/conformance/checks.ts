import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import type { Op } from "./op.ts";
import type { Ending } from "./person.ts";

/** The errors of the OAuth Extensions Error registry that these endpoints may return. */
const REGISTERED_ERRORS: ReadonlySet<string> = new Set([
  // RFC 6749 sections 4.1.2.1 and 5.2
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "access_denied",
  "server_error",
  "temporarily_unavailable",
  // OpenID Connect Core section 3.1.2.6
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
  "invalid_request_uri",
  "invalid_request_object",
  "request_not_supported",
  "request_uri_not_supported",
  "registration_not_supported",
  // RFC 6750 section 3.1
  "invalid_token",
  "insufficient_scope",
  // RFC 7009 section 2.2.1
  "unsupported_token_type",
]);

/** RFC 6749 section 5.2. Excludes CR, LF and TAB. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/;

/** Characters of codes and tokens (RFC 6749 appendices A.11, A.12 and A.17). */
const VSCHAR = /^[\x20-\x7E]+$/;

function checkError(error: unknown, description: unknown, allowed: readonly string[]): void {
  assert.equal(typeof error, "string", "an error must have a code in `error`");
  assert.ok(REGISTERED_ERRORS.has(error as string), `${error} must be a registered error`);
  assert.ok(allowed.includes(error as string), `${error} must be one of ${allowed.join(", ")}`);
  if (description === undefined || description === null) return;
  assert.match(String(description), DESCRIPTION, "error_description must hold allowed characters only");
}

/** Checks that a secret has only allowed characters and at least 128 bits. */
export function checkUnguessable(text: unknown, what: string): void {
  assert.equal(typeof text, "string", `${what} must be a string`);
  assert.match(text as string, VSCHAR, `${what} must hold allowed characters only`);
  // RFC 6749 section 10.10: at least 128 bits. A base64 character has 6.
  assert.ok((text as string).length >= 22, `${what} must have 128 bits`);
}

function checkResponseTarget(op: Op, sent: URLSearchParams, { at, answer }: Ending): URLSearchParams {
  assert.equal(answer, undefined, `the browser must be redirected back, but is at ${at.pathname}`);
  const [registered = "", query = ""] = sent.get("redirect_uri")!.split("?");
  assert.equal(at.origin + at.pathname, registered, "the answer must go to the redirect URI");
  assert.equal(at.hash, "", "the answer must be in the query");
  for (const [name, value] of new URLSearchParams(query)) assert.equal(at.searchParams.get(name), value);
  for (const name of at.searchParams.keys()) {
    assert.equal(at.searchParams.getAll(name).length, 1, `${name} must appear once`);
  }
  assert.equal(at.searchParams.get("state"), sent.get("state"), "state must be as it was sent");
  assert.equal(at.searchParams.get("iss"), op.metadata.issuer, "iss must be the issuer");
  for (const token of ["access_token", "id_token", "refresh_token"]) {
    assert.equal(at.searchParams.has(token), false, `${token} must never be in a URL`);
  }
  return at.searchParams;
}

/** Checks a successful authorization response. Returns its code. */
export function checkAuthorizationResponse(op: Op, sent: URLSearchParams, ending: Ending): string {
  const parameters = checkResponseTarget(op, sent, ending);
  assert.equal(parameters.get("error"), null, parameters.get("error_description") ?? "no error");
  const code = parameters.get("code");
  checkUnguessable(code, "code");
  const own = new URLSearchParams(sent.get("redirect_uri")!.split("?")[1] ?? "");
  const added = [...parameters.keys()].filter((name) => !own.has(name));
  assert.deepEqual(added.sort(), ["code", "iss", ...(sent.has("state") ? ["state"] : [])]);
  return code!;
}

/** Checks an authorization response with an error. */
export function checkErrorResponse(
  op: Op,
  sent: URLSearchParams,
  ending: Ending,
  allowed: readonly string[],
): void {
  const parameters = checkResponseTarget(op, sent, ending);
  assert.equal(parameters.has("code"), false, "an error response must have no code");
  checkError(parameters.get("error"), parameters.get("error_description"), allowed);
}

/** Checks that an error page is shown without a redirect. */
export function checkErrorPage({ at, answer }: Ending): void {
  assert.ok(answer !== undefined, `the browser must not be redirected to ${at.href}`);
  assert.ok(answer.status >= 400 && answer.status < 500, `an error page must not be ${answer.status}`);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/html\b/);
  assert.equal(answer.headers.get("location"), null);
}

/** Checks that a request was refused with an error page or an error response. */
export function checkRefused(
  op: Op,
  sent: URLSearchParams,
  ending: Ending,
  allowed: readonly string[],
): void {
  if (ending.answer === undefined) checkErrorResponse(op, sent, ending, allowed);
  else checkErrorPage(ending);
}

function checkNotStored({ headers }: Answer): void {
  assert.match(headers.get("cache-control") ?? "", /\bno-store\b/, "the answer must not be stored");
}

/** Checks a successful token response (RFC 6749 section 5.1). Returns its body. */
// deno-lint-ignore no-explicit-any -- responses differ in shape
export function checkTokenResponse(answer: Answer, scope = "openid"): any {
  const { status, headers, body, text } = answer;
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^application\/json\b/);
  checkNotStored(answer);
  assert.equal(String(body.token_type).toLowerCase(), "bearer");
  assert.ok(Number.isSafeInteger(body.expires_in) && body.expires_in > 0, "expires_in must be a number");
  checkUnguessable(body.access_token, "access_token");
  if (body.refresh_token !== undefined) checkUnguessable(body.refresh_token, "refresh_token");
  assert.equal(body.scope, scope, "the scope that was granted must be named");
  assert.equal(body.error, undefined);
  return body;
}

/** Checks an error response of the token endpoint (RFC 6749 section 5.2). */
export function checkTokenError(answer: Answer, allowed: readonly string[]): void {
  const { status, headers, body, text } = answer;
  assert.ok(status === 400 || status === 401, `an error must be 400 or 401, not ${status}: ${text}`);
  assert.match(headers.get("content-type") ?? "", /^application\/json\b/);
  checkNotStored(answer);
  checkError(body.error, body.error_description, allowed);
  if (status === 401) assert.match(headers.get("www-authenticate") ?? "", /^Basic\b/i);
  for (const token of ["access_token", "id_token", "refresh_token"]) assert.equal(body[token], undefined);
}

/** Checks a userinfo response (OpenID Connect Core section 5.3.2). */
export function checkUserInfo({ status, headers, body, text }: Answer, sub: string): void {
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^application\/json\b/);
  assert.equal(body.sub, sub, "sub must be that of the ID token");
}

/** Checks that an access token was refused. */
export function checkInvalidToken({ status, headers }: Answer): void {
  assert.equal(status, 401);
  assert.match(headers.get("www-authenticate") ?? "", /^Bearer\b.*error="invalid_token"/i);
}
