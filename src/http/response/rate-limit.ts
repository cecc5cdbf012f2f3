import { rateLimitFields } from "../../limits/rate-limit.ts";
import type { RateLimiter } from "../../limits/rate-limit.ts";
import type { RequestContext } from "../request-context.ts";

/** What the headers of an answer that say how its limits stand are for. */
const PURPOSE = "rate limit ";

/**
 * The same services for this one request: how each limit stands that it takes from goes out with its answer, whatever
 * that is. Limits of which nobody is told before they are met are left out.
 */
export function counted<S extends { readonly limits: RateLimiter }>(
  { answerHeaders }: Pick<RequestContext, "answerHeaders">,
  services: S,
): S {
  const { limits } = services;
  const take: RateLimiter["take"] = async (...taken) => {
    const state = await limits.take(...taken);
    if (state !== undefined) answerHeaders.set(PURPOSE + state.name, Object.entries(rateLimitFields(state)));
    return state;
  };
  return { ...services, limits: { take } };
}

/**
 * Leaves out how limits stand: the refusal says it of the one that was met, and what was taken beside it came to
 * nothing.
 */
export function forgetCounts({ answerHeaders }: Pick<RequestContext, "answerHeaders">): void {
  for (const purpose of answerHeaders.keys()) {
    if (purpose.startsWith(PURPOSE)) answerHeaders.delete(purpose);
  }
}
