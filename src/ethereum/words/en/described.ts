import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** What is said by a descriptor (ERC-7730). */
export const describedWords = {
  /** What stands in several languages already. */
  each: ({ en }: { readonly en: string; readonly de: string }) => en,
  several: ({ parts }: { readonly parts: readonly string[] }) => parts.join(", "),
  joined: ({ parts }: { readonly parts: readonly string[] }) => parts.join(""),
  /** The author's intent and all that is shown, where there is no sentence with places. */
  summary: ({ intent, values }: { readonly intent: string; readonly values: readonly string[] }) =>
    [intent, values.join("; ")].filter(Boolean).join(": "),
  labelled: ({ label, value }: { readonly label: string; readonly value: string }) => `${label}: ${value}`,
  nothing: "nothing",
  itemOf: ({ id, collection }: { readonly id: string; readonly collection: Party }) =>
    `item ${id} of ${partyWords(collection)}`,
  unitsOfUnsaid: ({ amount }: { readonly amount: string }) => `${amount} units of a token that is not said`,
  /** An amount from which on the author says something else: "all USDC". */
  mostOf: ({ message, symbol }: { readonly message: string; readonly symbol: string }) =>
    `${message} ${symbol}`,
  mostOfUnknown: ({ message, address }: { readonly message: string; readonly address: string }) =>
    `${message} units of ${address} (decimals unknown)`,
  describedDocument: (
    { said, contract, chain }: { readonly said: string; readonly contract: Party; readonly chain: string },
  ) => `${said}. For ${partyWords(contract)} on ${chain}.`,
  describedCall: (
    { said, contract, chain, amount }: {
      readonly said: string;
      readonly contract: Party;
      readonly chain: string;
      readonly amount: string;
    },
  ) => `${said}. By ${partyWords(contract)} on ${chain}, with ${amount}`,
};
