import { type Intent, WARNING_LEVELS, type WarningCode } from "../../src/clear-signing/intent.ts";
import type { Code, Sentence } from "../../src/clear-signing/format-message.ts";
import type { Bound, NotUnderstood, Subject } from "../../src/clear-signing/messages.en.ts";

/** Every warning that the code can produce: its code, and its subject, time or message. */
const WARNINGS = {
  unlimited_allowance: ["maySpend", "mayTake", "mayTakeItems", "labelled"],
  not_this_key: ["owner", "holder", "sender", "authorizer", "offerer", "account"],
  delegate_call: ["runsForeignCode"],
  gas_refund: ["paysUnmeasuredGas"],
  unknown_module: ["module"],
  unread_arguments: ["unreadArguments"],
  next_to_nothing: ["givesAway", "nothingReturns"],
  sign_in_host: ["siteIsNotHost"],
  sign_in_site: ["siteIsNotAsking"],
  capabilities: ["listedCapabilities", "unreadCapabilities"],
  malformed_sign_in: ["malformedSignIn"],
  anyone_may_spend: ["spender", "operator"],
  control_change: ["owner", "code", "module", "guard", "fallback_handler", "signaturesRequired"],
  unknown_delegate: ["delegate"],
  all_chains: ["allChains"],
  looks_like_transaction: ["lookAgain"],
  expired: ["permit_end", "allowance_end", "end", "order_end", "sign_in_end", "operation_end", "request_end"],
  far_future: [
    "permitForEver",
    "permit_end",
    "allowance_end",
    "start",
    "end",
    "order_start",
    "order_end",
    "sign_in_start",
    "sign_in_end",
    "operation_end",
    "request_end",
  ],
  no_contract: ["noContract"],
  long_deadline: [
    "permit_end",
    "allowance_end",
    "end",
    "order_end",
    "sign_in_end",
    "operation_end",
    "request_end",
  ],
  not_understood: ["call", "typed_data", "standard", "bytes", "hash", "code", "rest"],
  unknown_contract: [
    "token",
    "spender",
    "collection",
    "operator",
    "contract",
    "code",
    "account",
  ],
  unknown_chain: ["unknownChain"],
  high_fee: ["highFee"],
} as const satisfies Readonly<Record<WarningCode, readonly (Subject | Bound | NotUnderstood | Code)[]>>;

/** The name of a warning in a sample: `unknown_contract token`, or `red high_fee highFee` above its usual level. */
export type WarningName = {
  [C in WarningCode]: `${"red " | ""}${C} ${(typeof WARNINGS)[C][number]}`;
}[WarningCode];

type Detail = (typeof WARNINGS)[WarningCode][number];
/** Does not compile unless the list has every subject and every time. */
type Complete = [Exclude<Subject | Bound | NotUnderstood, Detail>] extends [never] ? readonly string[]
  : never;

export const WARNING_NAMES: Complete = Object.entries(WARNINGS).flatMap(([code, details]) =>
  details.map((detail) => `${code} ${detail}`)
);

export function warningNames({ warnings }: Intent): readonly string[] {
  return warnings.map(({ code, level, text }) => {
    const sentence = text as Sentence;
    const above = level === WARNING_LEVELS[code] ? "" : `${level} `;
    return `${above}${code} ${sentence.given.what ?? sentence.code}`;
  });
}
