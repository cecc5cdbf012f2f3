import { RefusalError } from "../lib/error.ts";
import type { MetricOutcome } from "../lib/metric-families.ts";
import type { Metrics } from "../lib/metrics.ts";

export type OutcomeFamily =
  | "holdfast_sign_ins_total"
  | "holdfast_authorization_codes_total"
  | "holdfast_token_refreshes_total";

/** Runs an operation and counts its outcome. */
export async function countOutcome<T>(
  metrics: Metrics,
  family: OutcomeFamily,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const result = await run();
    metrics.count(family, "success" satisfies MetricOutcome);
    return result;
  } catch (error) {
    metrics.count(family, outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): MetricOutcome {
  if (!(error instanceof RefusalError) || error.status >= 500) return "failed";
  return error.problem === "rate_limited" ? "rate_limited" : "refused";
}
