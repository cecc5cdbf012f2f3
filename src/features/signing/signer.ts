import { createAuthorizationCheck } from "../../http/guard/key-guards.ts";
import { type KeyUser, requireAction, requireKey } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { Services } from "../../http/services.ts";
import { runInAccountQueue } from "../../keys/account-queue.ts";
import { type CheckedSignRequest, checkInParts, type SignRequest } from "../../keys/digest.ts";
import { policyDenied } from "../../keys/enforce.ts";
import { sign, type SignedDigest, type SignOutcome } from "../../keys/sign.ts";
import { reason } from "../../policy/reason.ts";

/**
 * Checks a request. Returns the context with the time after the check, which decides about expiry. Typed data that
 * takes long to check is read in parts, which are counted.
 */
export async function checkCooperatively<C extends RequestContext>(
  context: C,
  { groupCommit }: Services,
  { account }: KeyUser,
  request: SignRequest,
): Promise<{ readonly checked: CheckedSignRequest; readonly parts: number; readonly present: C }> {
  const { value, parts } = await runInAccountQueue(groupCommit, account.id, checkInParts(request));
  return { checked: value, parts, present: { ...context, now: context.clock() } };
}

/**
 * Signs a checked request for a user. Throws `insufficient_scope` for a token that may not sign, `not_found` for a key
 * that a token does not name, and otherwise as `sign` does.
 */
export async function signFor(
  context: RequestContext,
  services: Services,
  user: KeyUser,
  { keyId, checked, parts }: {
    readonly keyId: string;
    readonly checked: CheckedSignRequest;
    /** Those of `checkCooperatively`. */
    readonly parts?: number;
  },
): Promise<SignOutcome> {
  requireAction(user, "sign");
  requireKey(user, keyId);
  const signing = { ...services, authorizationCheck: createAuthorizationCheck(services.authority) };
  const value = { accountId: user.account.id, keyId, asker: user.asker, now: context.now, parts };
  return await sign(counted(context, signing), value, checked);
}

/** Throws `policy_denied` if the owner must approve first. For protocols that have no other response. */
export function requireSigned(outcome: SignOutcome): SignedDigest {
  if (outcome.outcome === "signed") return outcome.signed;
  throw policyDenied({
    ...outcome.decision,
    reason: reason("asksElsewhere"),
  });
}
