import { OAuth2RequestResult } from "@oslojs/oauth2";
import { check, IdentityError } from "./error.ts";
import type { CallbackParameters } from "./provider.ts";

const LONGEST_CODE = 4096;

/**
 * The state of an authorization response. Throws an IdentityError where any parameter came more than once (RFC 6749
 * section 4.1.2 with 3.1: which of the two is meant cannot be told) or there is none.
 */
export function readState({ parameters, repeated }: CallbackParameters): string {
  check(repeated.size === 0, "callback_repeated");
  const state = parameters.get("state") ?? "";
  check(state !== "", "callback_state");
  return state;
}

/**
 * The code of an authorization response. The issuer is compared first, in error responses too (RFC 9207 section 2.4):
 * whenever one is told, and it must be told where the metadata promises that. Throws an IdentityError, `denied` where
 * the person declined.
 */
export function readCode(
  { parameters }: CallbackParameters,
  { issuer, tellsIssuer }: { readonly issuer: string; readonly tellsIssuer: boolean },
): string {
  const told = parameters.get("iss");
  check(told === undefined ? !tellsIssuer : told === issuer, "callback_issuer");
  const result = new OAuth2RequestResult(Object.fromEntries(parameters));
  if (result.hasErrorCode()) {
    throw new IdentityError(result.errorCode() === "access_denied" ? "denied" : "callback_error");
  }
  const code = parameters.get("code") ?? "";
  check(code !== "" && code.length <= LONGEST_CODE, "callback_code");
  return code;
}
