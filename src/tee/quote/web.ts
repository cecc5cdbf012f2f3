import { sha256 } from "@noble/hashes/sha2.js";
import { hexOf } from "./encoding.ts";
import type { QuoteEvidence } from "./evidence.ts";
import { evidenceOfKey, judgeQuote } from "./judge-quote.ts";
import type { ExpectedKey, KeyQuoteAnswer, QuoteVerification } from "./judge-quote.ts";
import type { SignedData } from "./signature.ts";

// The entry point of `holdfast/verify-quote`. Runs wherever Web Crypto exists, including web pages.
export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";
export type { CheckName, Expectations, Expected, QuoteEvidence, QuotePolicy, Register } from "./evidence.ts";
export type { Check, ExpectedKey, KeyQuoteAnswer, QuoteVerification, Verdict } from "./judge-quote.ts";
export type { ClaimedPolicy } from "./key-policy-check.ts";
export type { SealSlotClaim } from "./evidence.ts";
export type { KeyProvider } from "../tee.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The caller must have checked that the key is a point. */
async function isSigned({ publicKey, data, signature }: SignedData): Promise<boolean> {
  const [point, signed, bytes] = [publicKey, data, signature].map((part) => Uint8Array.from(part));
  const key = await crypto.subtle.importKey("raw", point!, P256, false, ["verify"]);
  return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, bytes!, signed!);
}

function nameOf({ publicKey, data, signature }: SignedData): string {
  return [publicKey, signature, sha256(data)].map(hexOf).join(" ");
}

/**
 * Judges a quote as `judgeQuote` does. Web Crypto is asynchronous and the checks are not, so it repeats the checks
 * until all requested signatures are known. Until then it assumes that unknown signatures are valid, to collect all
 * of them. The final result contains no such assumption.
 */
export async function verifyQuote(evidence: QuoteEvidence): Promise<QuoteVerification> {
  const known = new Map<string, boolean>();
  for (;;) {
    const requests = new Map<string, SignedData>();
    const found = judgeQuote(evidence, (signed) => {
      const name = nameOf(signed);
      if (!known.has(name)) requests.set(name, signed);
      return known.get(name) ?? true;
    });
    if (requests.size === 0) return found;
    for (const [name, signed] of requests) known.set(name, await isSigned(signed));
  }
}

/**
 * Verifies that the expected workload has a key: judges the service's answer, for a quote over this key's claims
 * only. Never rejects for an untrusted answer. Has the limits of `judgeQuote`.
 */
export async function verifyKey(
  given: { readonly answer: KeyQuoteAnswer; readonly expected: ExpectedKey },
): Promise<QuoteVerification> {
  return await verifyQuote(evidenceOfKey(given));
}
