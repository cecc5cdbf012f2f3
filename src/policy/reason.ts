import type { Language } from "../lib/language.ts";
import { policyWordsIn } from "./messages.ts";
import type { PolicyWords } from "./messages.ts";

type ReasonWords = PolicyWords["reasons"];

/** The name of a reason in the catalogues. */
type ReasonCode = keyof ReasonWords;

/** Why a policy decides as it does, in no language yet: made by `reason` alone. */
export interface Reason {
  readonly code: ReasonCode;
  readonly given: Readonly<Record<string, unknown>>;
}

type Given<C extends ReasonCode> = ReasonWords[C] extends (given: infer P) => string ? [given: P] : [];

/** A reason by its code, with what stands in its sentence. */
export function reason<C extends ReasonCode>(code: C, ...[given]: Given<C>): Reason {
  return { code, given: { ...given as object | undefined } };
}

/** Says it in a language, without a period. */
export function tellReason({ code, given }: Reason, language: Language): string {
  const words: string | ((given: never) => string) = policyWordsIn(language).reasons[code];
  return typeof words === "string" ? words : words(given as never);
}

/**
 * A reason that was kept in English, in a language: as it is where it is none of those that are the same each time, as
 * that of a signature that waits is.
 */
export function retellReason(kept: string, language: Language): string {
  const found = Object.entries(policyWordsIn("en").reasons).find(([, words]) => words === kept)?.[0];
  return found === undefined ? kept : tellReason({ code: found as ReasonCode, given: {} }, language);
}
