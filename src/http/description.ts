import type { AnySchema } from "../api/value.ts";
import type { ProblemCode } from "../lib/error.ts";
import type { RateLimitName } from "../limits/rate-limit.ts";

/** A schema of an object with named members: a query or a form. */
export type MembersSchema = AnySchema & { readonly entries: Readonly<Record<string, AnySchema>> };

/** The content of a response: JSON of a schema, a page, a file, a line of text, or none. */
export type Content = AnySchema | "page" | "file" | "text" | null;

/** Groups of operations, in display order. */
export const TAGS = {
  Keys: "Make keys, look at them, sign with them. Marked operations take a program's token.",
  Requests: "Signatures that the owner of a key is asked for first.",
  Accounts: "Sign up and sign in, with an address or another provider, and a passkey.",
  Passkeys: "What one's own account keeps: passkeys, sessions, step-ups.",
  Recovery: "The way back into an account whose passkeys are lost.",
  Tokens: "What programs use keys with.",
  Audit: "What was recorded.",
  OAuth: "The OAuth 2.1 and OpenID Connect provider.",
  Admin:
    "Who may come, whose accounts there are, and which applications sign people in. Needs the admin key.",
  Pages: "What people see. Programs have no use for these.",
  Operations: "Whether it lives and serves, and what describes it.",
} as const;
export type Tag = keyof typeof TAGS;

export interface Operation {
  /** The operationId for generated clients: unique, camelCase, stable. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly query?: MembersSchema;
  readonly body?: AnySchema;
  /** A body that is neither required nor JSON. */
  readonly bodyIs?: "form" | "optional";
  readonly headers?: readonly RequestHeader[];
  readonly answers: Readonly<Record<number, Content>>;
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Safe to send again: the response is the same. Only the audit entry and the rate limit count twice. */
  readonly isRepeatable?: true;
  readonly limits?: readonly RateLimitName[];
  /** Problems beyond those that follow from guard, method, path and body (`codesOf`). */
  readonly codes?: readonly ProblemCode[];
}

export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "1 to 255 printable ASCII characters: the same key with the same body makes nothing twice",
  Prefer: "`wait=8`: seconds to wait for an answer, 8 at most (RFC 7240)",
  "Holdfast-Witness": "The newest receipt that an answer brought: a service that forgot it answers `log_cut`",
} as const;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

export const ANSWER_HEADERS = {
  Location: "The path of what was made",
  Link: 'The next page, with `rel="next"` (RFC 8288)',
  "Holdfast-Witness": "A receipt of the log: keep the newest, and send it along",
  "Preference-Applied": "The preference that was followed (RFC 7240)",
  "Retry-After": "Seconds after which to try again",
  "RateLimit":
    '`"name";r=9;t=6` for each limit that was counted: how many requests are left, and seconds until there is one more',
  "RateLimit-Policy": '`"name";q=10;w=60`: how many there are in how many seconds',
} as const;
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** The properties of a route that its description is derived from. */
interface DescribedRow {
  readonly method: string;
  readonly path: string;
  readonly guard: string;
  readonly unsafe: string;
  readonly description: Operation;
}

const ALWAYS: readonly ProblemCode[] = ["invalid_request", "internal_error", "unavailable", "log_cut"];
const BODY: readonly ProblemCode[] = ["body_too_large", "unsupported_media_type"];

const GUARD_CODES: Readonly<Record<string, readonly ProblemCode[]>> = {
  session: ["authentication_required"],
  "sign-up or session": ["authentication_required"],
  "recovery session": ["authentication_required"],
  token: ["authentication_required"],
  admin: ["authentication_required"],
  "session or token to read": ["authentication_required", "insufficient_scope"],
  "session or token to sign": ["authentication_required", "insufficient_scope"],
  "session or token to ask": ["authentication_required", "insufficient_scope"],
  "session or token to create": ["authentication_required", "insufficient_scope"],
};

const PROOFS: readonly RateLimitName[] = ["dpop_proof"];

/** Rate limits that guards count, for refused or for admitted requests. A signature counts its proof itself. */
const GUARD_LIMITS: Readonly<
  Record<string, { readonly of: "refused" | "admitted"; readonly limits: readonly RateLimitName[] }>
> = {
  admin: { of: "refused", limits: ["admin_authentication"] },
  token: { of: "admitted", limits: PROOFS },
  "access token": { of: "admitted", limits: PROOFS },
  "session or token to read": { of: "admitted", limits: PROOFS },
  "session or token to ask": { of: "admitted", limits: PROOFS },
  "session or token to create": { of: "admitted", limits: PROOFS },
};

/** Returns the rate limits of a route; for `admitted`, those that the headers of a success can contain. */
export function limitsOf(
  route: Pick<DescribedRow, "guard" | "description">,
  which: "all" | "admitted",
): readonly RateLimitName[] {
  const { limits = [] } = route.description;
  const guard = GUARD_LIMITS[route.guard];
  return guard === undefined || which === "admitted" && guard.of === "refused"
    ? limits
    : [...limits, ...guard.limits];
}

export function codesOf(
  route: DescribedRow,
): readonly ProblemCode[] {
  const { body, bodyIs, headers, codes } = route.description;
  const isUnsafe = route.method !== "GET" && route.method !== "OPTIONS";
  return [
    ...new Set([
      ...ALWAYS,
      ...(body === undefined ? [] : BODY),
      ...(body === undefined || bodyIs === "form" ? [] : ["invalid_json" as const]),
      ...(GUARD_CODES[route.guard] ?? []),
      ...(isUnsafe && route.unsafe !== "none" ? ["cross_site_request" as const] : []),
      ...(route.path.includes(":") ? ["not_found" as const] : []),
      ...(headers?.includes("Idempotency-Key") ? ["idempotency_mismatch" as const] : []),
      ...(limitsOf(route, "all").length === 0 ? [] : ["rate_limited" as const]),
      ...(codes ?? []),
    ]),
  ];
}
