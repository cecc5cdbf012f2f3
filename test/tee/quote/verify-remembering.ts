import { createHash } from "node:crypto";
import type { QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import { judgeQuote } from "../../../src/tee/quote/judge-quote.ts";
import { isSignedNatively } from "../../../src/tee/quote/verify.ts";
import type { IsSigned } from "../../../src/tee/quote/signature.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";

const known = new Map<string, boolean>();

/** What `isSignedNatively` said of the same key, data and signature before. */
const isSignedAsBefore: IsSigned = (signed) => {
  const { publicKey, data, signature } = signed;
  const parts = createHash("sha256").update(publicKey).update(signature).update(data);
  const name = `${publicKey.length} ${signature.length} ${parts.digest("hex")}`;
  if (!known.has(name)) known.set(name, isSignedNatively(signed));
  return known.get(name)!;
};

/**
 * `verifyQuote`, but that each signature is verified once: the same certificates stand behind thousands of quotes that
 * differ elsewhere, and Deno takes a millisecond to verify one of them.
 */
export function verifyRemembering(evidence: QuoteEvidence): QuoteVerification {
  return judgeQuote(evidence, isSignedAsBefore);
}
