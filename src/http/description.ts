import type { AnySchema } from "../api/value.ts";
import type { ProblemCode } from "../lib/error.ts";
import type { RateLimitName } from "../limits/rate-limit.ts";

/** A schema of an object with named members: a query, or a form. */
export type MembersSchema = AnySchema & { readonly entries: Readonly<Record<string, AnySchema>> };

/** What an answer brings: JSON as its schema says, a page, a file, a line of text, or nothing. */
export type Content = AnySchema | "page" | "file" | "text" | null;

/** Groups of operations, in the order in which they are shown. */
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

/** What is to be known of a route besides its row: what it takes, what it answers and when it refuses. */
export interface Operation {
  /** For generated clients: one word, in camelCase, never given to another. */
  readonly id: string;
  readonly tag: Tag;
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  readonly query?: MembersSchema;
  readonly body?: AnySchema;
  /** The body is a form, or may be left out. */
  readonly bodyIs?: "form" | "optional";
  /** Further headers of the request. */
  readonly headers?: readonly RequestHeader[];
  readonly answers: Readonly<Record<number, Content>>;
  /** Headers of its success. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Sent again it does nothing more: the answer is the same, and only its record and its limit count twice. */
  readonly isRepeatable?: true;
  /** What it counts. */
  readonly limits?: readonly RateLimitName[];
  /** Problems beyond those that follow from guard, method, path and body (`codesOf`). */
  readonly codes?: readonly ProblemCode[];
}

/** The headers that requests may bring, and what they are for. */
export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "1 to 255 printable ASCII characters: the same key with the same body makes nothing twice",
  Prefer: "`wait=8`: seconds to wait for an answer, 8 at most (RFC 7240)",
  "Holdfast-Witness": "The newest receipt that an answer brought: a service that forgot it answers `log_cut`",
} as const;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The headers that answers bring, and what they say. */
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

/** A row of the route table, as far as its description follows from it. */
interface DescribedRow {
  readonly method: string;
  readonly path: string;
  readonly guard: string;
  readonly unsafe: string;
  readonly description: Operation;
}

/** The codes that every request can be refused with. */
const ALWAYS: readonly ProblemCode[] = ["invalid_request", "internal_error", "unavailable", "log_cut"];
const BODY: readonly ProblemCode[] = ["body_too_large", "unsupported_media_type"];

/** The codes of guards that need a credential. */
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

/** The limits that guards count, of requests that they refuse or admit. A signature uses its proof itself. */
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

/** Returns the limits that a row counts; `admitted`: those that the headers of its success can have. */
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

/** Returns the codes of all problems that a row can answer. */
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
