import { type CooperativeTask, runSync } from "../lib/cooperative.ts";
import { type Instant, parseInstant } from "../lib/time.ts";
import type { Act, Decision } from "./act.ts";
import { type Counts, countSignature, type Exceeded, NO_COUNTS } from "./counts.ts";
import { matchMessage, matchOutcome } from "./match-message.ts";
import { matchAuthorization, matchTransaction } from "./match-transaction.ts";
import { matchEffects } from "./match-effects.ts";
import { matchTypedData } from "./match-typed-data.ts";
import type { Match, MatchResult } from "./match.ts";
import type { Outcome, Policy } from "./policy.ts";
import { type Reason, reason } from "./reason.ts";
import { createStepBudget, type StepBudget, StepBudgetError } from "./step-budget.ts";

/** A decision, and the counts to store once the act is signed. */
export interface Judgement {
  readonly decision: Decision;
  /** Unchanged if the act is denied. */
  readonly counts: Counts;
}

export interface Circumstances {
  readonly counts: Counts;
  readonly now: Instant;
}

/** The signing key's address, 20 bytes, and the time of the decision. */
export interface MatchContext {
  readonly signer: Uint8Array;
  readonly now: Instant;
}

/** Joins the matches of two kinds of rules. The nearest rule is the one that passed more checks. */
function either(first: MatchResult, second: MatchResult): MatchResult {
  const { nearest, progress } = second.progress > first.progress ? second : first;
  return { matches: [...first.matches, ...second.matches], nearest, progress };
}

function* matchAct(
  policy: Policy,
  act: Act,
  given: MatchContext & { readonly budget: StepBudget },
): CooperativeTask<MatchResult> {
  switch (act.kind) {
    case "message":
      if (act.format === "personal_sign") return matchMessage(policy.messages, act.payload);
      return matchOutcome(
        `/${act.format}`,
        policy[act.format],
        reason("format", { format: act.format }),
      );
    case "typed_data":
      return either(
        yield* matchTypedData(policy, act.typedData, given),
        yield* matchEffects(policy, act, given),
      );
    case "transaction":
      return either(
        yield* matchTransaction(policy, act.transaction, given),
        yield* matchEffects(policy, act, given),
      );
    case "authorization":
      return matchAuthorization(policy, act.authorization);
  }
}

const TOO_MANY_STEPS: MatchResult = {
  matches: [],
  progress: 0,
  nearest: { rule: null, value: null, reason: reason("tooManySteps") },
};

/** Matches an act with the rules of a policy, in parts of about a millisecond. No rule matches past the step budget. */
export function* matchTask(policy: Policy, act: Act, context: MatchContext): CooperativeTask<MatchResult> {
  try {
    return yield* matchAct(policy, act, { ...context, budget: createStepBudget() });
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error;
    return TOO_MANY_STEPS;
  }
}

const REASONS: Readonly<Record<Match["outcome"], Reason>> = {
  allow: reason("allowed"),
  ask: reason("asks"),
};

/** Stands for a rule about every act. */
const OTHERWISE: Match = { outcome: "ask", rule: "/otherwise", spends: [] };

/**
 * Decides on an act by a policy and its counts. Matching rules that allow come before those that ask, each in the
 * policy's order. The first whose budgets have room decides.
 */
export function judgeMatch(
  policy: Policy,
  { matches, nearest }: MatchResult,
  { counts, now }: Circumstances,
): Judgement {
  if (policy.notAfter !== undefined && now > parseInstant(policy.notAfter)!) {
    return { decision: { outcome: "deny", rule: "/notAfter", value: null, reason: reason("ended") }, counts };
  }
  let exceeded: Exceeded | undefined;
  // Last of all, so that an act past a budget is asked about too, and fewer rules never permit more.
  const all = policy.otherwise === "ask" ? [...matches, OTHERWISE] : matches;
  for (const outcome of ["allow", "ask"] as const) {
    for (const match of all) {
      if (match.outcome !== outcome) continue;
      const after = countSignature(policy, match.spends, { counts, now });
      if ("counts" in after) {
        return { decision: { outcome, rule: match.rule, value: null, reason: REASONS[outcome] }, ...after };
      }
      exceeded ??= after.exceeded;
    }
  }
  const broken = exceeded === undefined
    ? nearest
    : { rule: exceeded.rule, value: null, reason: reason(exceeded.code) };
  return { decision: { outcome: "deny", ...broken }, counts };
}

/** Like `judgeMatch`, for an act. Blocks for the whole decision. */
export function judge(policy: Policy, act: Act, circumstances: Circumstances & MatchContext): Judgement {
  return judgeMatch(policy, runSync(matchTask(policy, act, circumstances)), circumstances);
}

/** Evaluates a policy on the checked values alone. Ignores budgets and rate counts, which `judge` applies. */
export function decide(policy: Policy, act: Act, context: MatchContext): Decision {
  return judge(policy, act, { counts: NO_COUNTS, ...context }).decision;
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { allow: 0, ask: 1, deny: 2 };

/** Returns the strictest decision, the first of equal ones. */
export function strictest<D extends Pick<Decision, "outcome">>(first: D, ...others: readonly D[]): D {
  return others.reduce((so, one) => STRICTNESS[one.outcome] > STRICTNESS[so.outcome] ? one : so, first);
}
