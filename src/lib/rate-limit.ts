import { ProtocolError } from "./error.ts";

/** How a rate limit stands for whoever was counted. */
export interface RateLimitState {
  /** As in the policy: lower case and underscores. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that could follow at once. */
  readonly remaining: number;
  /** Whole seconds until there is one more, at least 1. */
  readonly resetSeconds: number;
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10 sections 3 and 4), one item each. */
export function rateLimitFields(
  { name, limit, windowSeconds, remaining, resetSeconds }: RateLimitState,
): { readonly "RateLimit-Policy": string; readonly "RateLimit": string } {
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    "RateLimit": `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** The refusal that says when to come back, also in `Retry-After` (RFC 9110 section 10.2.3). */
export function rateLimited(met: Omit<RateLimitState, "remaining">): ProtocolError {
  const seconds = String(met.resetSeconds);
  return new ProtocolError("rate_limited", `Too many requests: try again in ${seconds} s`, {
    headers: { "Retry-After": seconds, ...rateLimitFields({ ...met, remaining: 0 }) },
  });
}
