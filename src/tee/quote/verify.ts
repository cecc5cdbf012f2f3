import { createPublicKey, verify } from "node:crypto";
import { toBase64url } from "../../lib/bytes.ts";
import type { QuoteEvidence } from "./evidence.ts";
import { evidenceOfKey, judgeQuote } from "./judge-quote.ts";
import type { ExpectedKey, KeyQuoteAnswer, QuoteVerification } from "./judge-quote.ts";
import type { IsSigned } from "./signature.ts";

export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";

export type { CheckName, Expectations, Expected, QuoteEvidence, QuotePolicy, Register } from "./evidence.ts";

export type { Check, ExpectedKey, KeyQuoteAnswer, QuoteVerification, Verdict } from "./judge-quote.ts";

export type { ClaimedPolicy } from "./key-policy-check.ts";

export type { SealSlotClaim } from "./evidence.ts";

export type { KeyProvider } from "../tee.ts";

/** Judges a quote with the runtime's cryptography. See `judgeQuote`. */
export function verifyQuote(evidence: QuoteEvidence): QuoteVerification {
  return judgeQuote(evidence, isSignedNatively);
}

/**
 * Verifies that the expected workload has a key: judges the service's answer, for a quote over this key's claims
 * only. Never throws for an untrusted answer. Has the limits of `judgeQuote`.
 */
export function verifyKey(
  given: { readonly answer: KeyQuoteAnswer; readonly expected: ExpectedKey },
): QuoteVerification {
  return verifyQuote(evidenceOfKey(given));
}

/** Returns false also if key or signature are malformed. */
export const isSignedNatively: IsSigned = ({ publicKey, data, signature }) => {
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map(toBase64url);
  try {
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
    return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
};
