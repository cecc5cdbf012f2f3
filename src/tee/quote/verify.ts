import type { QuoteEvidence } from "./evidence.ts";
import { evidenceOfKey, judgeQuote } from "./judge.ts";
import type { ExpectedKey, KeyQuoteAnswer, QuoteVerification } from "./judge.ts";
import { isSignedNatively } from "./native-signature.ts";

export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";
export type { CheckName, Expectations, Expected, Policy, QuoteEvidence, Register } from "./evidence.ts";
export type { Check, ExpectedKey, KeyQuoteAnswer, QuoteVerification, Verdict } from "./judge.ts";
export type { ClaimedPolicy } from "./policy-check.ts";
export type { KeyProvider } from "../tee.ts";

/** Judges a quote by the runtime's own cryptography; everything else as `judgeQuote` has it. */
export function verifyQuote(evidence: QuoteEvidence): QuoteVerification {
  return judgeQuote(evidence, isSignedNatively);
}

/**
 * Whether a key is held by the workload that one expects: `verifyQuote` over the answer that the service gave, for a quote
 * over this key's claims and no other. The answer is the other side's: nothing in it makes this throw. What `verifyQuote`
 * does not check is not checked here either.
 */
export function verifyKey(
  given: { readonly answer: KeyQuoteAnswer; readonly expected: ExpectedKey },
): QuoteVerification {
  return verifyQuote(evidenceOfKey(given));
}
