import type { Intent, WarningCode } from "../../src/clear-signing/intent.ts";
import type { Code, Sentence } from "../../src/clear-signing/format-message.ts";
import type { Bound, Subject } from "../../src/clear-signing/messages.en.ts";

/** Every warning that the code can produce: its code, and its subject, time or message. */
const WARNINGS = {
  unlimited_allowance: ["maySpend", "mayTake", "mayTakeItems", "labelled"],
  not_this_key: ["owner", "holder", "sender", "authorizer", "offerer", "account"],
  delegate_call: ["runsForeignCode"],
  gas_refund: ["paysUnmeasuredGas"],
  unknown_module: ["module"],
  unread_arguments: ["unreadArguments"],
  next_to_nothing: ["givesAway"],
  sign_in_host: ["siteIsNotHost"],
  sign_in_site: ["siteIsNotAsking"],
  capabilities: ["listedCapabilities", "unreadCapabilities"],
  unknown_delegate: ["unknownDelegate"],
  all_chains: ["allChains"],
  looks_like_transaction: ["lookAgain"],
  expired: ["permit_end", "allowance_end", "end", "order_end", "sign_in_end"],
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
  ],
  no_contract: ["noContract"],
  long_deadline: ["permit_end", "allowance_end", "end", "order_end", "sign_in_end"],
  unknown_contract: [
    "token",
    "spender",
    "collection",
    "operator",
    "contract",
    "code",
    "account",
    "guard",
    "fallback_handler",
  ],
  unknown_chain: ["unknownChain"],
  high_fee: ["highFee"],
} as const satisfies Readonly<Record<WarningCode, readonly (Subject | Bound | Code)[]>>;

/** The name of a warning in a sample: `unknown_contract token`. */
export type WarningName = { [C in WarningCode]: `${C} ${(typeof WARNINGS)[C][number]}` }[WarningCode];

type Detail = (typeof WARNINGS)[WarningCode][number];
/** Does not compile unless the list has every subject and every time. */
type Complete = [Exclude<Subject | Bound, Detail>] extends [never] ? readonly string[] : never;

export const WARNING_NAMES: Complete = Object.entries(WARNINGS).flatMap(([code, details]) =>
  details.map((detail) => `${code} ${detail}`)
);

export function warningNames({ warnings }: Intent): readonly string[] {
  return warnings.map(({ code, text }) => {
    const sentence = text as Sentence;
    return `${code} ${sentence.given.what ?? sentence.code}`;
  });
}
