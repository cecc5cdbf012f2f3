import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { API_LANGUAGE, type Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { countsOf, findPolicyUse, noteCounts, type PolicyUse } from "../limits/policy-counters.ts";
import type { Act, Decision } from "../policy/act.ts";
import { parsePolicy } from "../policy/canonical.ts";
import { type Counts, countsAnything, NO_COUNTS } from "../policy/counts.ts";
import { judgeMatch, type MatchContext, matchTask, strictest } from "../policy/decide.ts";
import type { MatchResult } from "../policy/match.ts";
import type { Policy } from "../policy/policy.ts";
import { localizeReason, PolicyDenial, type Reason, reason } from "../policy/reason.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { runInAccountQueue } from "./account-queue.ts";
import { holderOf, type Requester } from "./requester.ts";
import type { EthereumKey } from "./key.ts";
import { policyStateAt } from "./policy-state.ts";

export type PolicyOwner = "key" | Exclude<Requester["kind"], "owner">;

export interface PolicyInForce {
  readonly of: PolicyOwner;
  /** The id under which the policy counts signatures. */
  readonly holderId: string;
  readonly policy: Policy;
  /** The address of the signing key, 20 bytes. */
  readonly signer: Uint8Array;
}

/** A policy that is reviewed. One that has no holder yet has counted nothing. */
export type ReviewedPolicy = Omit<PolicyInForce, "holderId"> & { readonly holderId: string | null };

/** The decision of the strictest policy. */
export interface JointDecision<Text = Reason> extends Decision<Text> {
  /** The owner of the deciding policy. Null without a policy. */
  readonly policy: PolicyOwner | null;
}

interface EnforcementContext {
  readonly findMatch: FindMatch;
  readonly now: Instant;
}

/** The decision of one policy, with the row that holds its counters. */
interface Judged {
  readonly decision: JointDecision;
  readonly use: PolicyUse | undefined;
  readonly counts: Counts;
}

/** Returns the policies that apply to a signature: the key's, and that of the requester's token or grant. */
export function policiesInForce(
  key: Pick<EthereumKey, "id" | "address" | "policyState">,
  requester: Requester,
  requesterPolicy: Policy | null,
  now: Instant,
): readonly PolicyInForce[] {
  const { policy } = policyStateAt(key.policyState, now);
  const ofKey: readonly PolicyInForce[] = policy === null
    ? []
    : [{ of: "key", holderId: key.id, policy: parsePolicy(policy), signer: key.address }];
  if (requester.kind === "owner" || requesterPolicy === null) return ofKey;
  return [...ofKey, {
    of: requester.kind,
    holderId: holderOf(requester),
    policy: requesterPolicy,
    signer: key.address,
  }];
}

const FREE: JointDecision = {
  policy: null,
  outcome: "allow",
  rule: null,
  value: null,
  reason: reason("free"),
};

/** Returns the rules of a policy that match the act. */
export type FindMatch = (policy: Policy, signer: Uint8Array) => MatchResult | Promise<MatchResult>;

/** Thrown in a transaction for a decision of several parts. Run `matchTask` outside of it, and try again. */
export class LongDecisionError extends Error {
  readonly policy: Policy;
  readonly context: MatchContext;

  constructor(policy: Policy, context: MatchContext) {
    super("Cannot decide in a transaction: it takes long");
    this.policy = policy;
    this.context = context;
  }
}

/** Returns the match if it takes one part. Throws `LongDecisionError` otherwise. */
export function matchInOnePart(policy: Policy, act: Act, context: MatchContext): MatchResult {
  const { done, value } = matchTask(policy, act, context).next();
  if (done) return value;
  throw new LongDecisionError(policy, context);
}

async function judgePolicy(
  db: Db,
  authority: RowAuthority,
  { of, holderId, policy, signer }: ReviewedPolicy,
  { findMatch, now }: EnforcementContext,
): Promise<Judged> {
  const counts = holderId !== null && countsAnything(policy);
  const use = counts ? await findPolicyUse(db, authority, holderId) : undefined;
  const match = await findMatch(policy, signer);
  const judged = judgeMatch(policy, match, {
    counts: use === undefined ? NO_COUNTS : countsOf(use),
    now,
  });
  const isLost = counts && use === undefined && judged.decision.outcome !== "deny";
  const decision: Decision = isLost
    ? {
      outcome: "deny",
      rule: null,
      value: null,
      reason: reason("lost"),
    }
    : judged.decision;
  return { decision: { policy: of, ...decision }, use, counts: judged.counts };
}

async function judgePolicies(
  db: Db,
  authority: RowAuthority,
  inForce: readonly ReviewedPolicy[],
  circumstances: EnforcementContext,
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const one of inForce) judged.push(await judgePolicy(db, authority, one, circumstances));
  return judged;
}

/** Evaluates the active policies without counting. Long decisions wait in the account's queue. */
export async function review(
  db: Db,
  { authority, groupCommit }: { readonly authority: RowAuthority; readonly groupCommit: GroupCommit },
  inForce: readonly ReviewedPolicy[],
  { accountId, act, now }: { readonly accountId: string; readonly act: Act; readonly now: Instant },
): Promise<JointDecision> {
  const findMatch: FindMatch = (policy, signer) =>
    runInAccountQueue(groupCommit, accountId, matchTask(policy, act, { signer, now }));
  const judged = await judgePolicies(db, authority, inForce, { findMatch, now });
  return judged.length === 0 ? FREE : strictest(...judged.map(({ decision }) => decision) as [JointDecision]);
}

export type LocalizedDecision = JointDecision<string>;

export function localizeDecision(decision: JointDecision, language: Language): LocalizedDecision {
  return { ...decision, reason: localizeReason(decision.reason, language) };
}

export function policyDenied(decision: JointDecision): ProtocolError {
  const { policy, rule, value, reason } = localizeDecision(decision, API_LANGUAGE);
  const cause = new PolicyDenial(decision.reason.code);
  return new ProtocolError("policy_denied", reason, { cause, members: { policy, rule, value, reason } });
}

/**
 * Enforces the active policies in the transaction of the signature. Throws `policy_denied` for a forbidden act.
 * Counts an allowed act, or one that the owner has approved (`consent`), under each policy. Otherwise returns `ask`
 * without counting. Refused acts do not count, and concurrent acts count one by one.
 */
export async function enforce(
  tx: Db,
  authority: RowAuthority,
  inForce: readonly PolicyInForce[],
  { consent, ...circumstances }: EnforcementContext & { readonly consent: "none" | "given" },
): Promise<JointDecision> {
  if (inForce.length === 0) return FREE;
  const judged = await judgePolicies(tx, authority, inForce, circumstances);
  const decision = strictest(...judged.map(({ decision }) => decision) as [JointDecision]);
  if (decision.outcome === "deny") throw policyDenied(decision);
  if (decision.outcome === "ask" && consent === "none") return decision;
  for (const { use, counts } of judged) {
    if (use !== undefined) await noteCounts(tx, authority, use, counts);
  }
  return { ...decision, outcome: "allow" };
}
