import type { Party } from "../party.ts";

/** The cases that stand in sentences; names of tokens and contracts are the same in all of them. */
type Case = "nominative" | "dative" | "accusative";

const THIS_KEY: Readonly<Record<Case, string>> = {
  nominative: "dieser Schlüssel",
  dative: "diesem Schlüssel",
  accusative: "diesen Schlüssel",
};

const YOUR_KEY: Readonly<Record<Case, string>> = {
  nominative: "Ihr Schlüssel",
  dative: "Ihrem Schlüssel",
  accusative: "Ihren Schlüssel",
};

function partyIn(which: Case, party: Party): string {
  switch (party.is) {
    case "this_key":
      return `${THIS_KEY[which]} (${party.address})`;
    case "own_key":
      return `${YOUR_KEY[which]} „${party.label}“ (${party.address})`;
    case "known":
      return `${party.name} (${party.address})`;
    case "unnamed":
      return party.address;
  }
}

/** Who does something, and a value by itself: wer? */
export function nominative(party: Party): string {
  return partyIn("nominative", party);
}

/** Behind von, bei, and whom something is allowed to: wem? */
export function dative(party: Party): string {
  return partyIn("dative", party);
}

/** Behind an, für: wen? */
export function accusative(party: Party): string {
  return partyIn("accusative", party);
}
