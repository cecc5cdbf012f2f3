import type { CheckedSignRequest } from "../../keys/digest.ts";
import { policyDenied } from "../../keys/enforce.ts";
import { sign } from "../../keys/sign.ts";
import type { SignedDigest, SignOutcome } from "../../keys/sign.ts";
import { reason } from "../../policy/reason.ts";
import { requireAction, requireKey } from "../../http/guard/key-requester.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import { createMandates } from "../../http/guard/key-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { Services } from "../../http/services.ts";

/** Signs for whoever asks, wherever it was asked: the API, JSON-RPC and what older signers had. */
export type Signer = (
  context: RequestContext,
  user: KeyUser,
  keyId: string,
  request: CheckedSignRequest,
) => Promise<SignOutcome>;

/** What signing stands on. */
export type SignerServices = Pick<Services, "groupCommit" | "vault" | "authority" | "limits">;

/**
 * Makes it. It throws `insufficient_scope` for a token that may not sign, `not_found` for a key that a token does not
 * name, and otherwise as `sign` does.
 */
export function createSigner({ groupCommit, vault, authority, limits }: SignerServices): Signer {
  const signing = { groupCommit, vault, authority, limits, mandates: createMandates(authority) };
  return async (context, user, keyId, request) => {
    requireAction(user, "sign");
    requireKey(user, keyId);
    const value = { accountId: user.account.id, keyId, asker: user.asker, now: context.now };
    return await sign(counted(context, signing), value, request);
  };
}

/**
 * The signature, where whoever asks takes nothing else for an answer. Throws `policy_denied` where the owner of the key
 * is to be asked first.
 */
export function requireSigned(wish: SignOutcome): SignedDigest {
  if (wish.outcome === "signed") return wish.signed;
  throw policyDenied({
    ...wish.decision,
    reason: reason("asksElsewhere"),
  });
}
