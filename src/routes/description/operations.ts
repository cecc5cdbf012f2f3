import type { ProblemCode } from "../../lib/error.ts";
import type { RateLimitName } from "../../limits/rate-limit.ts";
import type { Route } from "../../http/route.ts";
import type { Operation } from "../../http/description.ts";

/** Returns the description of a row. Throws a RangeError if the row has none. */
export function operationOf(
  { method, path, description }: Pick<Route, "method" | "path" | "description">,
): Operation {
  if (description === undefined) throw new RangeError(`Cannot describe ${method} ${path}`);
  return description;
}

/** What may befall every request. */
const ALWAYS: readonly ProblemCode[] = ["invalid_request", "internal_error", "unavailable", "log_cut"];
const BODY: readonly ProblemCode[] = ["body_too_large", "unsupported_media_type"];

/** Guards that let nobody in without a credential, and what more they refuse. */
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

/** What guards count, and whether they do it of whom they let in. Who signs uses its proof up with the signature. */
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

/** Every limit that a route counts; `admitted`, those that its success can tell of. */
export function limitsOf(
  route: Pick<Route, "method" | "path" | "guard" | "description">,
  which: "all" | "admitted",
): readonly RateLimitName[] {
  const { limits = [] } = operationOf(route);
  const guard = GUARD_LIMITS[route.guard];
  return guard === undefined || which === "admitted" && guard.of === "refused"
    ? limits
    : [...limits, ...guard.limits];
}

/** Every problem that a route can answer. */
export function codesOf(
  route: Pick<Route, "method" | "path" | "guard" | "unsafe" | "description">,
): readonly ProblemCode[] {
  const { body, bodyIs, headers, codes } = operationOf(route);
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
