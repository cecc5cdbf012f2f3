import { createAuthorizationCheck } from "../../http/guard/key-guards.ts";
import { type KeyUser, requireAction, requireKey } from "../../http/guard/key-requester.ts";
import type { JsonOptions } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import type { Services } from "../../http/services.ts";
import { runInAccountQueue } from "../../keys/account-queue.ts";
import { type CheckedSignRequest, checkTask, type SignRequest } from "../../keys/digest.ts";
import { policyDenied } from "../../keys/enforce.ts";
import { type EthereumKey, findKey, findKeyByAddress } from "../../keys/key.ts";
import { countRefusal } from "../../keys/refusal-rule.ts";
import { holderOf } from "../../keys/requester.ts";
import { chargeUnlessSigned, type Work } from "../../keys/work.ts";
import { checkNotArchived, sign, type SignedDigest, type SignOutcome } from "../../keys/sign.ts";
import { RefusalError } from "../../lib/error.ts";
import { JSON_PART } from "../../lib/json.ts";
import type { Instant } from "../../lib/time.ts";
import { reason } from "../../policy/reason.ts";
import { SIGN_BODY } from "./schema.ts";

/**
 * Checks a request. Returns the context with the time after the check, which decides about expiry. Typed data that
 * takes long to check is read in parts, which are counted.
 */
export async function checkCooperatively<C extends RequestContext>(
  context: C,
  { groupCommit }: Services,
  { account }: Pick<KeyUser, "account">,
  request: SignRequest,
  work?: Work,
): Promise<{ readonly checked: CheckedSignRequest; readonly present: C }> {
  const checked = await runInAccountQueue(groupCommit, account.id, checkTask(request), work);
  return { checked, present: { ...context, now: context.clock() } };
}

/** The key to sign with. An address is undefined if the caller's text is none. */
export type KeyChoice = { readonly keyId: string } | { readonly address: Uint8Array | undefined };

async function findChosen(
  { db, authority }: Services,
  accountId: string,
  choice: KeyChoice,
): Promise<EthereumKey | undefined> {
  if ("keyId" in choice) return await findKey(db, authority, { accountId, keyId: choice.keyId });
  const { address } = choice;
  return address && await findKeyByAddress(db, authority, { accountId, address });
}

export interface SigningResult {
  readonly request: SignRequest;
  readonly checked: CheckedSignRequest;
  /** The time after the check. */
  readonly now: Instant;
  readonly outcome: SignOutcome;
}

/** Returns the options for reading a signing body. Counts its parts as work. */
export function signBodyOf(work: Work): JsonOptions {
  const onText = (length: number): void => void (work.parts += Math.floor(length / JSON_PART));
  return { ...SIGN_BODY, onText };
}

/** Runs an attempt to sign for a user. Charges what `chargeUnlessSigned` does, and counts a refusal. */
export async function chargeAttempt<T>(
  { clock }: RequestContext,
  services: Services,
  { account, requester }: KeyUser,
  attempt: (work: Work) => Promise<T>,
): Promise<T> {
  try {
    return await chargeUnlessSigned(services, { accountId: account.id, requester, clock }, attempt);
  } catch (error) {
    if (error instanceof RefusalError) countRefusal(services.metrics, error);
    throw error;
  }
}

/**
 * Signs for a user in a `chargeAttempt`. Checks rights, key and limit before `read` parses the request, because parsing
 * and hashing take longest. Throws `insufficient_scope` for a token that may not sign, before it looks for the key.
 * Throws `not_found` for a key that the token does not name, and otherwise as `sign` does, which checks all of it
 * again.
 */
export async function signFor(
  context: RequestContext,
  services: Services,
  user: KeyUser,
  { choice, work, read }: {
    readonly choice: KeyChoice;
    readonly work: Work;
    readonly read: () => SignRequest | Promise<SignRequest>;
  },
): Promise<SigningResult> {
  const { account, requester } = user;
  requireAction(user, "sign");
  const key = requireKey(user, await findChosen(services, account.id, choice));
  checkNotArchived(key);
  await services.limits.check(services.db, "sign", account.id, context.now, holderOf(requester));
  const request = await read();
  const { checked, present: { now } } = await checkCooperatively(context, services, user, request, work);
  const signing = { ...services, authorizationCheck: createAuthorizationCheck(services, user.use) };
  const value = { accountId: account.id, keyId: key.id, requester, now, work };
  return {
    request,
    checked,
    now,
    outcome: await sign(withRateLimitHeaders(context, signing), value, checked),
  };
}

/** Throws `policy_denied` if the owner must approve first. For protocols that have no other response. */
export function requireSigned(outcome: SignOutcome): SignedDigest {
  if (outcome.outcome === "signed") return outcome.signed;
  throw policyDenied({
    ...outcome.decision,
    reason: reason("asksElsewhere"),
  });
}
