import { textOfBytes } from "../clear-signing/message.ts";
import { isUriOfDomain, readSignIn, type SignInMessage } from "../clear-signing/standard/sign-in.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import { firstMismatch, type Match, type MatchResult, matchRules, type RuleResult } from "./match.ts";
import type { MessageRules, Outcome, SignInRule } from "./policy.ts";
import { type Reason, reason } from "./reason.ts";

/** Matches a message. `personal_sign` signs bytes, and does not know whether they were sent as text or hex. */
export function matchMessage(rules: MessageRules, payload: Uint8Array): MatchResult {
  const text = mayBeHash(payload) ? undefined : textOfBytes(payload);
  if (text === undefined) {
    return matchOutcome("/messages/bytes", rules.bytes, reason("noBytes"));
  }
  const plain = matchOutcome("/messages/text", rules.text, reason("noTexts"));
  const message = readSignIn(text);
  if (message === undefined || rules.signIn.length === 0) return plain;
  const { matches, nearest, progress } = matchRules(
    "/messages/signIn",
    rules.signIn.map((rule) => trySignIn(rule, message)),
    reason("noSite"),
  );
  return { matches: [...matches, ...plain.matches], nearest, progress };
}

export function matchOutcome(rule: string, outcome: Outcome, reason: Reason): MatchResult {
  const matches: readonly Match[] = outcome === "deny" ? [] : [{ rule, outcome, spends: [] }];
  return { matches, nearest: { rule, value: null, reason }, progress: 0 };
}

function trySignIn(
  { domains, chainIds, resources, outcome }: SignInRule,
  message: SignInMessage,
): RuleResult {
  const mismatch = (member: string, reason: Reason) => ({ member, value: "/message", reason });
  return firstMismatch([
    () => domains.includes(message.domain.toLowerCase()) ? undefined : mismatch("/domains", reason("noSite")),
    () => isUriOfDomain(message) ? undefined : mismatch("/domains", reason("otherSite")),
    () =>
      chainIds === undefined || chainIds.includes(message.chainId)
        ? undefined
        : mismatch("/chainIds", reason("signInChain")),
    () =>
      resources === "any" || message.resources === undefined || message.resources.length === 0
        ? undefined
        : mismatch("/resources", reason("resources")),
  ]) ?? { outcome, spends: [] };
}
