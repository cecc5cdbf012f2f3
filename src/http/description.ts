import type { AnySchema } from "../api/value.ts";
import { type ProblemCode, PROBLEMS } from "../lib/error.ts";
import type { RateLimitName } from "../limits/rate-limit.ts";
import type { OAuthErrorCode } from "../oauth/error.ts";
import { oauthCodeOf } from "./response/problem.ts";
import type { Surface } from "./response/security-headers.ts";

/** A schema of an object with named members: a query or a form. */
export type MembersSchema = AnySchema & { readonly entries: Readonly<Record<string, AnySchema>> };

/** The content of a response: JSON of a schema, a page, either by `Accept`, a file, a line of text, or none. */
export type Content = AnySchema | "page" | readonly [AnySchema, "page"] | "file" | "text" | null;

/** Groups of operations, in display order. */
export const TAGS = {
  Keys: "Create, list and change keys, and sign with them. Some operations also accept a program's token.",
  Requests: "Signatures that need the approval of the key's owner.",
  Accounts: "Sign up and sign in with an e-mail address or another provider, and a passkey.",
  Passkeys: "The passkeys, sessions and step-ups of your account.",
  Recovery: "Recovery of an account whose passkeys are lost.",
  Tokens: "Tokens with which programs use keys.",
  Webhooks: "Receivers of events of an account.",
  Notifications: "Browsers that are notified of events of an account.",
  Audit: "The activity of your account.",
  OAuth: "The OAuth 2.1 and OpenID Connect provider.",
  Admin: "Invitations, accounts and applications. Needs the admin key.",
  Pages: "Pages and forms for people. Programs do not need them.",
  Operations: "Health checks and the description of the API.",
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
  readonly returns: Readonly<Record<number, Content>>;
  /** By status. A 303 has `Location`, and responses of counted requests have the headers of their limits. */
  readonly responseHeaders?: Readonly<Record<number, readonly ResponseHeader[]>>;
  /** Safe to send again: the response is the same. Only the audit entry and the rate limit count twice. */
  readonly isRepeatable?: true;
  readonly limits?: readonly RateLimitName[];
  /** Problems beyond those that follow from guard, method, path and body (`codesOf`). */
  readonly codes?: readonly ProblemCode[];
  /** OAuth errors by status (RFC 6749 section 5.2, RFC 6750 section 3.1), beyond `invalid_request`. */
  readonly errors?: Readonly<Record<number, readonly OAuthErrorCode[]>>;
}

export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "1 to 255 printable ASCII characters. The same key with the same body returns the first response again",
  Prefer: "`wait=8`: seconds to wait for the owner's decision, at most 8 (RFC 7240)",
  "Holdfast-Witness": "The newest log receipt you received. A service whose log lost it answers `log_cut`",
} as const;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

export const ANSWER_HEADERS = {
  Location: "The path of the created object, or the address to continue at",
  Link: 'The next page, with `rel="next"` (RFC 8288)',
  "Holdfast-Witness": "A receipt of the audit log. Keep the newest one and send it with later requests",
  "Preference-Applied": "The preference that was applied (RFC 7240)",
  "Retry-After": "Seconds to wait before the next try",
  "RateLimit":
    '`"name";r=9;t=6` for each limit that was counted: the requests left, and the seconds until one more is allowed',
  "RateLimit-Policy":
    '`"name";q=10;w=60` for each limit: the requests allowed, and the seconds of the window',
} as const;
export type ResponseHeader = keyof typeof ANSWER_HEADERS;

/** The properties of a route that its description is derived from. */
interface DescribedRow {
  readonly method: string;
  readonly path: string;
  readonly guard: string;
  readonly unsafe: string;
  readonly surface: Pick<Surface, "kind">;
  readonly description: Operation;
}

const ALWAYS: readonly ProblemCode[] = [
  "invalid_request",
  "internal_error",
  "unavailable",
  "log_cut",
  "inconsistent_store",
];
const BODY: readonly ProblemCode[] = ["body_too_large", "unsupported_media_type"];

const GUARD_CODES: Readonly<Record<string, readonly ProblemCode[]>> = {
  session: ["authentication_required"],
  "sign-up or session": ["authentication_required"],
  "recovery session": ["authentication_required"],
  token: ["authentication_required"],
  "token for /mcp": ["authentication_required", "cross_site_request", "insufficient_scope"],
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
  "token for /mcp": { of: "admitted", limits: PROOFS },
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

/** Returns the codes of a route's refusals by status: problem codes, or on the OAuth surface those of `error`. */
export function refusalsOf(route: DescribedRow): ReadonlyMap<number, readonly string[]> {
  const { surface, description: { errors = {} } } = route;
  const pairs: readonly (readonly [status: number, code: string])[] = [
    ...codesOf(route).map((code) =>
      [PROBLEMS[code].status, surface.kind === "oauth" ? oauthCodeOf(code) : code] as const
    ),
    ...Object.entries(errors).flatMap(([status, codes]) =>
      codes.map((code) => [Number(status), code] as const)
    ),
  ];
  return new Map(
    [...Map.groupBy(pairs, ([status]) => status)].map(([status, same]) => [
      status,
      [...new Set(same.map(([, code]) => code))],
    ]),
  );
}

/** The media types of refusals. Pages refuse with a problem document if the client accepts JSON but not HTML. */
export const REFUSAL_TYPES: Readonly<Record<Surface["kind"], readonly string[]>> = {
  api: ["application/problem+json"],
  oauth: ["application/json"],
  page: ["text/html", "application/problem+json"],
};

const CONTENT_TYPES = { page: "text/html", text: "text/plain", file: "*/*" } as const;

/** Returns the schema of a content's JSON; undefined if it has none. */
export function jsonSchemaOf(content: Content): AnySchema | undefined {
  if (typeof content === "string" || content === null) return undefined;
  return "kind" in content ? content : content[0];
}

export function contentTypes(content: Content): readonly string[] {
  if (content === null) return [];
  if (typeof content === "string") return [CONTENT_TYPES[content]];
  return "kind" in content ? ["application/json"] : ["application/json", CONTENT_TYPES.page];
}
