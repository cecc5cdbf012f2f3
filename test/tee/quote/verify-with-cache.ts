import { createHash } from "node:crypto";
import type { QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import { judgeQuote } from "../../../src/tee/quote/judge-quote.ts";
import { isSignedNatively } from "../../../src/tee/quote/verify.ts";
import type { IsSigned } from "../../../src/tee/quote/signature.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";

const known = new Map<string, boolean>();

/** Caches the result of `isSignedNatively` by key, data and signature. */
const isSignedAsBefore: IsSigned = (signed) => {
  const { publicKey, data, signature } = signed;
  const parts = createHash("sha256").update(publicKey).update(signature).update(data);
  const name = `${publicKey.length} ${signature.length} ${parts.digest("hex")}`;
  if (!known.has(name)) known.set(name, isSignedNatively(signed));
  return known.get(name)!;
};

/**
 * Verifies like `verifyQuote`, but each signature only once. Thousands of quotes share the same certificates, and
 * Deno takes a millisecond for each signature.
 */
export function verifyWithCache(evidence: QuoteEvidence): QuoteVerification {
  return judgeQuote(evidence, isSignedAsBefore);
}
