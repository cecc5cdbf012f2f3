import type { Instant } from "../lib/time.ts";
import type { Act, Decision } from "./act.ts";
import { countSignature, NO_COUNTS } from "./counts.ts";
import type { Counts } from "./counts.ts";
import { fitMessage, fitOutcome } from "./match-message.ts";
import { fitAuthorization, fitTransaction } from "./match-transaction.ts";
import { fitTypedData } from "./match-typed-data.ts";
import type { Fit, Fitting } from "./match.ts";
import type { Outcome, Policy } from "./policy.ts";
import { reason } from "./reason.ts";
import type { Reason } from "./reason.ts";

/** A decision, and what is counted once the act is signed. */
export interface Judgement {
  readonly decision: Decision;
  /** As it was where nothing is to be signed. */
  readonly counts: Counts;
}

/** When an act is judged, and what was counted until then. */
export interface Circumstances {
  readonly counts: Counts;
  readonly now: Instant;
}

function fitAct(policy: Policy, act: Act, now: Instant): Fitting {
  switch (act.kind) {
    case "message":
      if (act.format === "personal_sign") return fitMessage(policy.messages, act.payload);
      return fitOutcome(
        `/${act.format}`,
        policy[act.format],
        reason("format", { format: act.format }),
      );
    case "typed_data":
      return fitTypedData(policy, act.typedData, now);
    case "transaction":
      return fitTransaction(policy, act.transaction, now);
    case "authorization":
      return fitAuthorization(policy, act.authorization);
  }
}

const REASONS: Readonly<Record<Fit["outcome"], Reason>> = {
  allow: reason("allowed"),
  ask: reason("asks"),
};

/**
 * Judges an act by a policy and what was counted under it. Of the rules that it fits those that allow it come first,
 * then those that ask, each in the policy's order; the first whose budgets have room decides.
 */
export function judge(policy: Policy, act: Act, { counts, now }: Circumstances): Judgement {
  const { fits, nearest } = fitAct(policy, act, now);
  let full: string | undefined;
  for (const outcome of ["allow", "ask"] as const) {
    for (const fit of fits) {
      if (fit.outcome !== outcome) continue;
      const after = countSignature(policy, fit.spends, { counts, now });
      if ("counts" in after) {
        return { decision: { outcome, rule: fit.rule, value: null, reason: REASONS[outcome] }, ...after };
      }
      full ??= after.full;
    }
  }
  const broken = full === undefined ? nearest : { rule: full, value: null, reason: reason("usedUp") };
  return { decision: { outcome: "deny", ...broken }, counts };
}

/**
 * What a policy says of an act of which nothing like it was signed before: the same act is refused all the same where
 * a budget or a number of signatures is used up (`judge`). Decides on the checked values of the act alone. Does not
 * look at who asks, which key signs, nor what a chain would make of it.
 */
export function decide(policy: Policy, act: Act, now: Instant): Decision {
  return judge(policy, act, { counts: NO_COUNTS, now }).decision;
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { allow: 0, ask: 1, deny: 2 };

/** The strictest of several decisions, the first of those that are alike. */
export function strictest<D extends Pick<Decision, "outcome">>(first: D, ...others: readonly D[]): D {
  return others.reduce((so, one) => STRICTNESS[one.outcome] > STRICTNESS[so.outcome] ? one : so, first);
}
