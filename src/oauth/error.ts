import { RefusalError } from "../lib/error.ts";

/** The closed list of OAuth error codes, with the status of a response that is not a redirect. */
const OAUTH_ERRORS = {
  // RFC 6749 sections 4.1.2.1 and 5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  access_denied: 400,
  // OpenID Connect Core section 3.1.2.6
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
  invalid_request_uri: 400,
  // RFC 6750 section 3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 8628 section 3.5
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  // RFC 9396 section 14.6
  invalid_authorization_details: 400,
  // RFC 8707 section 2
  invalid_target: 400,
  // RFC 9449 section 12.2
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
} as const satisfies Record<string, number>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

export function isOAuthErrorCode(code: string): code is OAuthErrorCode {
  return Object.hasOwn(OAUTH_ERRORS, code);
}

/** The target of an authorization response: a validated redirect URI and the client's state. */
export interface ResponseTarget {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** `WWW-Authenticate` of a failed client authentication (RFC 6749 section 5.2). */
const CLIENT_CHALLENGE = 'Basic realm="oauth"';

/**
 * A client's fault, reported as `error` and `error_description`. With `redirectTo` it is redirected to the client.
 * Without, it is a page at the authorization endpoint and JSON elsewhere. The description is for developers and
 * contains no input.
 */
export class OAuthError extends RefusalError {
  declare readonly code: OAuthErrorCode;
  readonly redirectTo: ResponseTarget | undefined;

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: {
      readonly cause?: unknown;
      readonly redirectTo?: ResponseTarget;
      /** `WWW-Authenticate` of a protected resource (RFC 6750 section 3). */
      readonly challenge?: string;
    } = {},
  ) {
    // RFC 6749 section 5.2: no quotation mark, no backslash, ASCII only.
    if (!/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/.test(description)) {
      throw new TypeError("Cannot create OAuth error: description has characters outside RFC 6749");
    }
    const challenge = code === "invalid_client" ? CLIENT_CHALLENGE : options.challenge;
    super(description, {
      code,
      problem: "invalid_request",
      status: OAUTH_ERRORS[code],
      cause: options.cause,
      headers: challenge === undefined ? {} : { "WWW-Authenticate": challenge },
    });
    this.name = "OAuthError";
    this.redirectTo = options.redirectTo;
  }
}
