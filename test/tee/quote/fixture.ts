import type { Check, QuoteVerification } from "../../../src/tee/quote/verify.ts";

/** Asks nothing of the workload, in so many words. */
export const ANY_WORKLOAD = {
  registers: { mrTd: "any", rtmr0: "any", rtmr1: "any", rtmr2: "any", rtmr3: "any", mrConfigId: "any" },
  reportData: "any",
} as const;

/** The checks that stand in the way. */
export function faultsOf({ checks }: QuoteVerification): readonly Check[] {
  return checks.filter(({ verdict }) => verdict !== "passed" && verdict !== "waived");
}
