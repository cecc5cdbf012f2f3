import type { Party } from "../party.ts";

/** Whatever it is called here, and its address. */
export function partyWords(party: Party): string {
  switch (party.is) {
    case "this_key":
      return `this key (${party.address})`;
    case "own_key":
      return `your key “${party.label}” (${party.address})`;
    case "known":
      return `${party.name} (${party.address})`;
    case "unnamed":
      return party.address;
  }
}
