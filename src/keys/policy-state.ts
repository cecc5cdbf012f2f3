import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";

/** What a key may sign, and what becomes of that. Policies are in canonical JSON; null is none: it may sign anything. */
export interface PolicyTerms {
  readonly policy: string | null;
  /** What takes its place at an instant; null where nothing waits. */
  readonly change: { readonly to: string | null; readonly at: Instant } | null;
}

/** The columns of a key's row that hold its terms. */
export type TermColumns = Pick<Authentic<"ethereum_key">, "policy" | "policy_change" | "policy_change_at">;

/** In the column: that nothing is to take the policy's place. */
const NONE = "null";

/** The terms as they stand in a key's row. */
export function toTerms({ policy, policy_change, policy_change_at }: TermColumns): PolicyTerms {
  if (policy_change === null || policy_change_at === null) return { policy, change: null };
  return { policy, change: { to: policy_change === NONE ? null : policy_change, at: policy_change_at } };
}

/** The columns that hold these terms. */
export function toTermColumns({ policy, change }: PolicyTerms): TermColumns {
  return {
    policy,
    policy_change: change === null ? null : change.to ?? NONE,
    policy_change_at: change?.at ?? null,
  };
}

/** The terms at an instant. What waited until then has taken effect, whether anybody has noted it or not. */
export function termsAt(terms: PolicyTerms, now: Instant): PolicyTerms {
  const { change } = terms;
  return change === null || change.at > now ? terms : { policy: change.to, change: null };
}
