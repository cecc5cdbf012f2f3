import { createPublicKey, verify } from "node:crypto";
import { toBase64url } from "../../lib/bytes.ts";
import type { QuoteEvidence } from "./evidence.ts";
import { evidenceOfKey, judgeQuote } from "./judge-quote.ts";
import type { ExpectedKey, KeyQuoteAnswer, QuoteVerification } from "./judge-quote.ts";
import type { IsSigned } from "./signature.ts";

export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";

export type { CheckName, Expectations, Expected, Policy, QuoteEvidence, Register } from "./evidence.ts";

export type { Check, ExpectedKey, KeyQuoteAnswer, QuoteVerification, Verdict } from "./judge-quote.ts";

export type { ClaimedPolicy } from "./key-policy-check.ts";

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

/** Verifies by the runtime's own cryptography; false as well for what is no key and no signature. */
export const isSignedNatively: IsSigned = ({ publicKey, data, signature }) => {
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map(toBase64url);
  try {
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
    return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
};
