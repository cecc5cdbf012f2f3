import { OAuth2RequestResult } from "@oslojs/oauth2";
import { check, IdentityError } from "./error.ts";
import type { CallbackParameters } from "./provider.ts";

const LONGEST_CODE = 4096;

/** Throws an IdentityError if the state is missing or any parameter is repeated (RFC 6749 section 3.1). */
export function readState({ parameters, repeated }: CallbackParameters): string {
  check(repeated.size === 0, "callback_repeated");
  const state = parameters.get("state") ?? "";
  check(state !== "", "callback_state");
  return state;
}

/**
 * Reads the code of an authorization response. Compares the issuer first, in error responses too (RFC 9207 section
 * 2.4). The issuer is required if the metadata announce it. Throws an IdentityError, `denied` if the user declined.
 */
export function readCode(
  { parameters }: CallbackParameters,
  { issuer, namesIssuer }: { readonly issuer: string; readonly namesIssuer: boolean },
): string {
  const issuerParameter = parameters.get("iss");
  check(issuerParameter === undefined ? !namesIssuer : issuerParameter === issuer, "callback_issuer");
  const result = new OAuth2RequestResult(Object.fromEntries(parameters));
  if (result.hasErrorCode()) {
    throw new IdentityError(result.errorCode() === "access_denied" ? "denied" : "callback_error");
  }
  const code = parameters.get("code") ?? "";
  check(code !== "" && code.length <= LONGEST_CODE, "callback_code");
  return code;
}
