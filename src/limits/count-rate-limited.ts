import { ProtocolError } from "../lib/error.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { RateLimitName, RequestRateLimiter } from "./rate-limit.ts";

/** Returns the limiter with its refusals counted. */
export function countRateLimited(metrics: Metrics, limiter: RequestRateLimiter): RequestRateLimiter {
  const counted = async <T>(name: RateLimitName, taking: Promise<T>): Promise<T> => {
    try {
      return await taking;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === "rate_limited") {
        metrics.count("holdfast_rate_limited_total", name);
      }
      throw error;
    }
  };
  return {
    ...limiter,
    take: (tx, name, ...rest) => counted(name, limiter.take(tx, name, ...rest)),
    check: (db, name, ...rest) => counted(name, limiter.check(db, name, ...rest)),
  };
}
