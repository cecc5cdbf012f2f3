import { textOfBytes } from "../clear-signing/message.ts";
import { isUriOfDomain, readSignIn, type SignInMessage } from "../clear-signing/standard/sign-in.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import { firstMiss, type Fit, fitRules, type Fitting, type Trial } from "./match.ts";
import type { MessageRules, Outcome, SignInRule } from "./policy.ts";
import { type Reason, reason } from "./reason.ts";

/** Matches a message. `personal_sign` signs bytes, and does not know whether they were sent as text or hex. */
export function fitMessage(rules: MessageRules, payload: Uint8Array): Fitting {
  const text = mayBeHash(payload) ? undefined : textOfBytes(payload);
  if (text === undefined) {
    return fitOutcome("/messages/bytes", rules.bytes, reason("noBytes"));
  }
  const plain = fitOutcome("/messages/text", rules.text, reason("noTexts"));
  const message = readSignIn(text);
  if (message === undefined || rules.signIn.length === 0) return plain;
  const { fits, nearest } = fitRules(
    "/messages/signIn",
    rules.signIn.map((rule) => trySignIn(rule, message)),
    reason("noSite"),
  );
  return { fits: [...fits, ...plain.fits], nearest };
}

export function fitOutcome(rule: string, outcome: Outcome, reason: Reason): Fitting {
  const fits: readonly Fit[] = outcome === "deny" ? [] : [{ rule, outcome, spends: [] }];
  return { fits, nearest: { rule, value: null, reason } };
}

function trySignIn({ domains, chainIds, resources, outcome }: SignInRule, message: SignInMessage): Trial {
  const miss = (member: string, reason: Reason) => ({ member, value: "/message", reason });
  return firstMiss([
    () => domains.includes(message.domain.toLowerCase()) ? undefined : miss("/domains", reason("noSite")),
    () => isUriOfDomain(message) ? undefined : miss("/domains", reason("otherSite")),
    () =>
      chainIds === undefined || chainIds.includes(message.chainId)
        ? undefined
        : miss("/chainIds", reason("signInChain")),
    () =>
      resources === "any" || message.resources === undefined || message.resources.length === 0
        ? undefined
        : miss("/resources", reason("resources")),
  ]) ?? { outcome, spends: [] };
}
