import { toIso } from "../../../lib/time.ts";
import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** Values, as they stand in sentences and by themselves. */
export const valueWords = {
  /** By itself. */
  party: ({ party }: { readonly party: Party }) => partyWords(party),
  /** A text of somebody else's: readable, without quotation marks of its own (`quotable`). */
  quote: ({ text }: { readonly text: string }) => `“${text}”`,
  /** Seconds since 1970, before the year 10000. */
  moment: ({ seconds }: { readonly seconds: string }) =>
    toIso(Number(seconds) * 1000).replace("T", " ").replace(".000Z", " UTC"),
  afterAllYears: "a time after the year 9999",
  untilMoment: ({ at }: { readonly at: string }) => `until ${at}`,
  inOneBlock: "in the one block in which the permit is used",
  forEver: "for ever",
  anyChain: "any chain",
  everyChain: "every chain",
  chainById: ({ chainId }: { readonly chainId: string }) => `chain ${chainId}`,
  ofUnknownCurrency: ({ amount, chainId }: { readonly amount: string; readonly chainId: string }) =>
    `${amount} of the currency of chain ${chainId}`,
  unlimited: ({ symbol }: { readonly symbol: string }) => `unlimited ${symbol}`,
  units: ({ amount, address }: { readonly amount: string; readonly address: string }) =>
    `${amount} units of ${address} (decimals unknown)`,
  unlimitedUnits: ({ address }: { readonly address: string }) =>
    `unlimited units of ${address} (decimals unknown)`,
  upTo: ({ amount }: { readonly amount: string }) => `up to ${amount}`,
  orItem: ({ amount, id }: { readonly amount: string; readonly id: string }) =>
    `${amount}, or its item ${id}`,
  item: ({ id }: { readonly id: string }) => `item ${id}`,
  someOfItem: ({ amount, id }: { readonly amount: string; readonly id: string }) => `${amount} of item ${id}`,
  everyItem: "every item, now and later",
  none: "none",
  bytes: ({ count }: { readonly count: number }) => `${count} bytes`,
  /** At least one of `parts`; `more` are counted only. */
  list: ({ parts, more }: { readonly parts: readonly string[]; readonly more: number }) => {
    const all = more === 0 ? parts : [...parts, `${more} more, listed below`];
    return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  },
};
