import { ProtocolError } from "./error.ts";

/** A rate limit that was met. */
export interface MetRateLimit {
  /** As in the policy: lower case and underscores. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Whole seconds until the next try can succeed, at least 1. */
  readonly retryAfterSeconds: number;
}

/**
 * The refusal that says when to come back: `Retry-After` (RFC 9110 section 10.2.3), `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-10 sections 3 and 4).
 */
export function rateLimited({ name, limit, windowSeconds, retryAfterSeconds }: MetRateLimit): ProtocolError {
  return new ProtocolError("rate_limited", `Too many requests: try again in ${retryAfterSeconds} s`, {
    headers: {
      "Retry-After": String(retryAfterSeconds),
      "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
      "RateLimit": `"${name}";r=0;t=${retryAfterSeconds}`,
    },
  });
}
