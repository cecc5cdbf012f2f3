import { type RateLimiter, rateLimitFields } from "../../limits/rate-limit.ts";
import type { RequestContext } from "../request-context.ts";

const PURPOSE = "rate limit ";

/** Returns services whose limiter also adds `RateLimit` headers to the response, except for hidden limits. */
export function withRateLimitHeaders<S extends { readonly limits: RateLimiter }>(
  { responseHeaders }: Pick<RequestContext, "responseHeaders">,
  services: S,
): S {
  const { limits } = services;
  const take: RateLimiter["take"] = async (...taken) => {
    const state = await limits.take(...taken);
    if (state !== undefined) {
      responseHeaders.set(PURPOSE + state.name, Object.entries(rateLimitFields(state)));
    }
    return state;
  };
  return { ...services, limits: { ...limits, take } };
}

/**
 * Removes the headers of `withRateLimitHeaders`, because a refusal names its own limit and rolls the other counts back.
 */
export function removeRateLimitHeaders({ responseHeaders }: Pick<RequestContext, "responseHeaders">): void {
  for (const purpose of responseHeaders.keys()) {
    if (purpose.startsWith(PURPOSE)) responseHeaders.delete(purpose);
  }
}
