import { sha256 } from "@noble/hashes/sha2.js";
import { hexOf } from "./encoding.ts";
import type { QuoteEvidence } from "./evidence.ts";
import { evidenceOfKey, judgeQuote } from "./judge-quote.ts";
import type { ExpectedKey, KeyQuoteAnswer, QuoteVerification } from "./judge-quote.ts";
import type { SignedData } from "./signature.ts";

// This file is what `holdfast/verify-quote` imports: it runs wherever there is Web Crypto, in pages too.
export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";
export type { CheckName, Expectations, Expected, Policy, QuoteEvidence, Register } from "./evidence.ts";
export type { Check, ExpectedKey, KeyQuoteAnswer, QuoteVerification, Verdict } from "./judge-quote.ts";
export type { ClaimedPolicy } from "./key-policy-check.ts";
export type { KeyProvider } from "../tee.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Whether a signature verifies, by Web Crypto. The key is known to be a point. */
async function isSigned({ publicKey, data, signature }: SignedData): Promise<boolean> {
  const [point, signed, bytes] = [publicKey, data, signature].map((part) => Uint8Array.from(part));
  const key = await crypto.subtle.importKey("raw", point!, P256, false, ["verify"]);
  return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, bytes!, signed!);
}

function nameOf({ publicKey, data, signature }: SignedData): string {
  return [publicKey, signature, sha256(data)].map(hexOf).join(" ");
}

/**
 * Judges a quote as `judgeQuote` does. Web Crypto answers later, and the checks do not wait: they are made again until
 * they have asked for no signature that is not known. In between an unknown one counts as good, so that everything is
 * asked for that there is; what is answered rests on none such.
 */
export async function verifyQuote(evidence: QuoteEvidence): Promise<QuoteVerification> {
  const known = new Map<string, boolean>();
  for (;;) {
    const asked = new Map<string, SignedData>();
    const found = judgeQuote(evidence, (signed) => {
      const name = nameOf(signed);
      if (!known.has(name)) asked.set(name, signed);
      return known.get(name) ?? true;
    });
    if (asked.size === 0) return found;
    for (const [name, signed] of asked) known.set(name, await isSigned(signed));
  }
}

/**
 * Whether a key is held by the workload that one expects: `verifyQuote` over the answer that the service gave, for a quote
 * over this key's claims and no other. The answer is the other side's: nothing in it makes this reject. What
 * `verifyQuote` does not check is not checked here either.
 */
export async function verifyKey(
  given: { readonly answer: KeyQuoteAnswer; readonly expected: ExpectedKey },
): Promise<QuoteVerification> {
  return await verifyQuote(evidenceOfKey(given));
}
