/** Every problem code of a response, with its status and title (RFC 9457). */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "Invalid request" },
  invalid_json: { status: 400, title: "Invalid JSON" },
  invalid_code: { status: 400, title: "Invalid code" },
  invalid_passkey_registration: { status: 400, title: "Passkey registration refused" },
  identity_refused: { status: 400, title: "Not signed in" },
  invalid_transaction: { status: 400, title: "Invalid transaction" },
  invalid_typed_data: { status: 400, title: "Invalid typed data" },
  looks_like_transaction: { status: 400, title: "Looks like a transaction" },
  invalid_passkey: { status: 401, title: "Passkey refused" },
  authentication_required: { status: 401, title: "Authentication required" },
  blind_signing_denied: { status: 403, title: "Blind signing denied" },
  policy_denied: { status: 403, title: "Denied by a policy" },
  insufficient_scope: { status: 403, title: "Not allowed to this token" },
  cross_site_request: { status: 403, title: "Cross-site request refused" },
  release_refused: { status: 403, title: "Release refused" },
  fresh_session_required: { status: 403, title: "Fresh sign-in required" },
  account_disabled: { status: 403, title: "Account disabled" },
  no_access: { status: 403, title: "No access to this application" },
  recently_recovered: { status: 403, title: "Recently recovered" },
  recovery_refused: { status: 403, title: "Recovery refused" },
  invitation_required: { status: 403, title: "Invitation required" },
  sign_up_closed: { status: 403, title: "No new accounts" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  group_exists: { status: 409, title: "Group exists" },
  account_exists: { status: 409, title: "Account exists" },
  key_archived: { status: 409, title: "Key archived" },
  last_passkey: { status: 409, title: "Last passkey" },
  public_client: { status: 409, title: "Public client" },
  client_declared: { status: 409, title: "Declared in a file" },
  policy_locked: { status: 409, title: "Policy locked" },
  recovery_waiting: { status: 409, title: "Recovery pending" },
  recovery_in_browser: { status: 409, title: "Recovery in this browser" },
  recovery_not_ready: { status: 409, title: "Recovery not ready" },
  signing_request_over: { status: 409, title: "Signing request closed" },
  limit_used_up: { status: 409, title: "Limit of a policy used up" },
  too_many_tokens: { status: 409, title: "Too many tokens" },
  too_many_keys: { status: 409, title: "Too many keys" },
  too_many_passkeys: { status: 409, title: "Too many passkeys" },
  too_many_webhooks: { status: 409, title: "Too many webhooks" },
  body_too_large: { status: 413, title: "Body too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  already_made: { status: 409, title: "Already created" },
  idempotency_mismatch: { status: 422, title: "Idempotency key reused" },
  too_many_signing_requests: { status: 429, title: "Too many signing requests" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Internal error" },
  identity_unavailable: { status: 502, title: "Sign-in provider unavailable" },
  unavailable: { status: 503, title: "Service unavailable" },
  log_cut: { status: 503, title: "Audit log changed" },
  inconsistent_store: { status: 503, title: "Stored data inconsistent" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A fault in the input: in a body by JSON pointer (RFC 6901), in a query or form by parameter. */
export type InputFault =
  | { readonly path: string; readonly parameter?: never; readonly message: string }
  | { readonly parameter: string; readonly path?: never; readonly message: string };

export interface ProblemOptions {
  /** For the log only; never sent. */
  readonly cause?: unknown;
  /** The faults in the input, sent as `errors`. */
  readonly errors?: readonly InputFault[];
  /** Response headers such as `Allow`, `Retry-After` and `RateLimit`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly returnLink?: ReturnLink;
  readonly members?: Readonly<Record<string, string | null>>;
}

export interface ReturnLink {
  readonly path: string;
  readonly to: "home" | "consent" | "sign_in" | "account";
}

interface RefusalFacts extends ProblemOptions {
  /** The code in its own protocol's list. */
  readonly code: string;
  /** The code in problem documents (RFC 9457). */
  readonly problem: ProblemCode;
  readonly status: number;
}

/**
 * A mistake of the caller, or a limit. `message` is sent to the caller, so it never holds input, secrets or internals.
 * Mistakes of the service are TypeError and RangeError and become 500.
 */
export class RefusalError extends Error {
  readonly code: string;
  readonly problem: ProblemCode;
  readonly status: number;
  readonly errors: readonly InputFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly returnLink: ReturnLink | undefined;
  readonly members: Readonly<Record<string, string | null>> | undefined;

  constructor(message: string, facts: RefusalFacts) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.problem = facts.problem;
    this.status = facts.status;
    this.errors = facts.errors;
    this.headers = facts.headers ?? {};
    this.returnLink = facts.returnLink;
    this.members = facts.members;
  }
}

export class ProtocolError extends RefusalError {
  declare readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, { ...options, code, problem: code, status: PROBLEMS[code].status });
    this.name = "ProtocolError";
  }
}

/** Creates the error for a cursor that this list did not issue. */
export function foreignCursor(): ProtocolError {
  return new ProtocolError("invalid_request", "Cannot read cursor: not one of this list", {
    errors: [{ parameter: "cursor", message: "Expected a cursor of this list" }],
  });
}
