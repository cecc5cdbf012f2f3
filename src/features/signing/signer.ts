import { createAuthorizationCheck } from "../../http/guard/key-guards.ts";
import { type KeyUser, requireAction, requireKey } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { Services } from "../../http/services.ts";
import { type CheckedSignRequest, checkInParts, type SignRequest } from "../../keys/digest.ts";
import { policyDenied } from "../../keys/enforce.ts";
import { sign, type SignedDigest, type SignOutcome } from "../../keys/sign.ts";
import { inTurns, nextTurn } from "../../lib/cooperative.ts";
import { perObject } from "../../lib/memoize.ts";
import { createKeyedMutex } from "../../lib/mutex.ts";
import { reason } from "../../policy/reason.ts";

/** The queue of each account, in which its long typed data waits to be checked. */
const accountMutexOf = perObject<Services, ReturnType<typeof createKeyedMutex>>(() => createKeyedMutex());

/**
 * Checks a request. Returns the context with the time after the check, which decides about expiry. Typed data that
 * takes long to check is read in parts, one document of an account at a time. An account that sends many delays only
 * itself.
 */
export async function checkCooperatively<C extends RequestContext>(
  context: C,
  services: Services,
  { account }: KeyUser,
  request: SignRequest,
): Promise<{ readonly checked: CheckedSignRequest; readonly present: C }> {
  let release: (() => void) | undefined;
  try {
    const checked = await inTurns(checkInParts(request), async () => {
      release ??= await accountMutexOf(services)(account.id);
      await nextTurn();
    });
    return { checked, present: { ...context, now: context.clock() } };
  } finally {
    release?.();
  }
}

/**
 * Signs a checked request for a user. Throws `insufficient_scope` for a token that may not sign, `not_found` for a key
 * that a token does not name, and otherwise as `sign` does.
 */
export async function signFor(
  context: RequestContext,
  services: Services,
  user: KeyUser,
  { keyId, checked }: { readonly keyId: string; readonly checked: CheckedSignRequest },
): Promise<SignOutcome> {
  requireAction(user, "sign");
  requireKey(user, keyId);
  const signing = { ...services, authorizationCheck: createAuthorizationCheck(services.authority) };
  const value = { accountId: user.account.id, keyId, asker: user.asker, now: context.now };
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
