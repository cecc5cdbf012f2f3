import type { describedWords as English } from "../en/described.ts";
import { accusative, dative } from "./party.ts";

export const describedWords: typeof English = {
  each: ({ de }) => de,
  several: ({ parts }) => parts.join(", "),
  joined: ({ parts }) => parts.join(""),
  summary: ({ intent, values }) => [intent, values.join("; ")].filter(Boolean).join(": "),
  labelled: ({ label, value }) => `${label}: ${value}`,
  nothing: "nichts",
  itemOf: ({ id, collection }) => `Stück ${id} von ${dative(collection)}`,
  unitsOfUnsaid: ({ amount }) => `${amount} Einheiten eines Token, das nicht genannt ist`,
  mostOf: ({ message, symbol }) => `${message} ${symbol}`,
  mostOfUnknown: ({ message, address }) => `${message} Einheiten von ${address} (Dezimalstellen unbekannt)`,
  describedDocument: ({ said, contract, chain }) => `${said}. Für ${accusative(contract)} auf ${chain}.`,
  describedCall: ({ said, contract, chain, amount }) =>
    `${said}. Durch ${accusative(contract)} auf ${chain}, mit ${amount}`,
};
