import assert from "node:assert/strict";
import { DAY } from "../../../src/lib/time.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import type { CheckName, QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import type { Check, QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKit, QuoteKnobs } from "../../support/quote-pki.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

/** Expectations that waive every check of the workload. */
export const ANY_WORKLOAD = {
  registers: { mrTd: "any", rtmr0: "any", rtmr1: "any", rtmr2: "any", rtmr3: "any", mrConfigId: "any" },
  reportData: "any",
  keyProvider: "any",
} as const;

/** Returns the checks that prevent a pass. */
export function faultsOf({ checks }: QuoteVerification): readonly Check[] {
  return checks.filter(({ verdict }) => verdict !== "passed" && verdict !== "waived");
}

/** Returns true if a check was not made because another one did not pass. */
export function isConsequence({ verdict, detail }: Check): boolean {
  return verdict === "not_checked" && /^Needs \w+, which did not pass$/.test(detail);
}

/** Returns a kit's evidence with a policy and expectations that it meets, then applies the changes. */
export function evidenceOf(kit: QuoteKit, changes: Partial<QuoteEvidence> = {}): QuoteEvidence {
  return {
    quote: kit.quote,
    collateral: parseCollateral(kit.collateral),
    now: kit.now,
    root: parseRoot(kit.root),
    policy: STRICT_POLICY,
    expectations: ANY_WORKLOAD,
    ...changes,
  };
}

/** Verifies the evidence of a kit with these knobs. */
export function verifyKit(knobs: QuoteKnobs, changes: Partial<QuoteEvidence> = {}): QuoteVerification {
  return verifyWithCache(evidenceOf(makeQuoteKit(knobs), changes));
}

/**
 * Asserts that exactly the named checks fail or are not made, besides those that depend on them, and that the
 * verification does not pass.
 */
export function assertFaults(
  found: QuoteVerification,
  expected: readonly CheckName[],
  detail?: RegExp,
): void {
  const named = faultsOf(found).filter((check) => expected.includes(check.name) || !isConsequence(check));
  assert.deepEqual(named.map(({ name }) => name), expected);
  assert.equal(found.passed, expected.length === 0);
  if (detail !== undefined) assert.match(faultsOf(found)[0]!.detail, detail);
}

/** A fault, the checks that report it, and the detail of the first. */
export type Negative = readonly [
  title: string,
  knobs: QuoteKnobs,
  checks: readonly CheckName[],
  detail: RegExp,
];

export const AGAIN = { notBefore: QUOTE_NOW - 9 * DAY } as const;
export const EXPIRED = { ...AGAIN, notAfter: QUOTE_NOW - DAY } as const;
export const TO_COME = { notBefore: QUOTE_NOW + DAY } as const;
