import type { Language } from "../lib/language.ts";
import { type PolicyMessages, policyMessagesIn } from "./messages.ts";

type ReasonMessages = PolicyMessages["reasons"];

export type ReasonCode = keyof ReasonMessages;

/** The reasons of decisions that refuse nothing. */
const NOT_DENYING: readonly ReasonCode[] = ["allowed", "asks", "free"];

/** Returns the code of every reason for which a policy refuses a signature. */
export function denialCodes(): readonly ReasonCode[] {
  const codes = Object.keys(policyMessagesIn("en").reasons) as ReasonCode[];
  return codes.filter((code) => !NOT_DENYING.includes(code));
}

/** A reason of a decision before translation. Create it with `reason`. */
export interface Reason {
  readonly code: ReasonCode;
  readonly given: Readonly<Record<string, unknown>>;
}

type Given<C extends ReasonCode> = ReasonMessages[C] extends (given: infer P) => string ? [given: P] : [];

export function reason<C extends ReasonCode>(code: C, ...[given]: Given<C>): Reason {
  return { code, given: { ...given as object | undefined } };
}

/** Formats the reason in a language, without a period. */
export function localizeReason({ code, given }: Reason, language: Language): string {
  const message: string | ((given: never) => string) = policyMessagesIn(language).reasons[code];
  return typeof message === "string" ? message : message(given as never);
}

/** Translates a reason stored in English. Returns it unchanged if its message has parameters or is unknown. */
export function translateReason(stored: string, language: Language): string {
  const found = Object.entries(policyMessagesIn("en").reasons).find(([, message]) => message === stored)?.[0];
  return found === undefined ? stored : localizeReason({ code: found as ReasonCode, given: {} }, language);
}

/** The reason of a denial, as the cause of its error. For the log and the metrics. */
export class PolicyDenial extends Error {
  readonly code: ReasonCode;

  constructor(code: ReasonCode) {
    super("Denied by a policy");
    this.code = code;
  }
}
