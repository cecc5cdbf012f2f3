import { longDateIn } from "../../../lib/moment.ts";
import { toIso } from "../../../lib/time.ts";
import type { valueWords as English } from "../en/values.ts";
import { nominative } from "./party.ts";

export const valueWords: typeof English = {
  party: ({ party }) => nominative(party),
  quote: ({ text }) => `„${text}“`,
  moment: ({ seconds }) => {
    const at = Number(seconds) * 1000;
    return `${longDateIn("de", at)}, ${toIso(at).slice(11, 19)} UTC`;
  },
  afterAllYears: "irgendwann nach dem Jahr 9999",
  untilMoment: ({ at }) => `bis ${at}`,
  inOneBlock: "in dem einen Block, in dem der Permit eingelöst wird",
  forEver: "für immer",
  anyChain: "jeder beliebigen Chain",
  everyChain: "jeder Chain",
  chainById: ({ chainId }) => `Chain ${chainId}`,
  ofUnknownCurrency: ({ amount, chainId }) => `${amount} der Währung von Chain ${chainId}`,
  unlimited: ({ symbol }) => `unbegrenzt ${symbol}`,
  units: ({ amount, address }) => `${amount} Einheiten von ${address} (Dezimalstellen unbekannt)`,
  unlimitedUnits: ({ address }) => `unbegrenzt viele Einheiten von ${address} (Dezimalstellen unbekannt)`,
  upTo: ({ amount }) => `bis zu ${amount}`,
  orItem: ({ amount, id }) => `${amount}, oder dessen Stück ${id}`,
  item: ({ id }) => `Stück ${id}`,
  someOfItem: ({ amount, id }) => `${amount} von Stück ${id}`,
  everyItem: "jedes Stück, jetzt und später",
  none: "keines",
  bytes: ({ count }) => `${count} Bytes`,
  list: ({ parts, more }) => {
    const all = more === 0 ? parts : [...parts, `${more} weitere, die unten stehen`];
    return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} und ${all.at(-1)}`;
  },
};
