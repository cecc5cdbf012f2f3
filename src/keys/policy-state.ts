import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";

/** A key's policy and its pending change. Canonical JSON; null allows everything. */
export interface PolicyState {
  readonly policy: string | null;
  readonly change: { readonly to: string | null; readonly at: Instant } | null;
}

export type PolicyColumns = Pick<Authentic<"ethereum_key">, "policy" | "policy_change" | "policy_change_at">;

/** The column value of a pending change that removes the policy. */
const NONE = "null";

export function toPolicyState({ policy, policy_change, policy_change_at }: PolicyColumns): PolicyState {
  if (policy_change === null || policy_change_at === null) return { policy, change: null };
  return { policy, change: { to: policy_change === NONE ? null : policy_change, at: policy_change_at } };
}

export function toPolicyColumns({ policy, change }: PolicyState): PolicyColumns {
  return {
    policy,
    policy_change: change === null ? null : change.to ?? NONE,
    policy_change_at: change?.at ?? null,
  };
}

/** Returns the state at a given time. A due change has taken effect even if it has not been recorded. */
export function policyStateAt(policyState: PolicyState, now: Instant): PolicyState {
  const { change } = policyState;
  return change === null || change.at > now ? policyState : { policy: change.to, change: null };
}
