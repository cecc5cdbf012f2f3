import { toChecksumAddress } from "../ethereum/address.ts";
import type { Instant } from "../lib/time.ts";
import type { EthereumKey } from "./key.ts";

export const KEY_ORDERS = ["newest", "name", "used"] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

export interface KeySearch {
  /** Part of a label or an address, in any case. Empty for all keys. */
  readonly text: string;
  readonly archived: "include" | "exclude";
  readonly order: KeyOrder;
  /** The time of each key's last use, by key id. */
  readonly lastUses: ReadonlyMap<string, Instant>;
}

/** Orders `Key 10` after `Key 9`. */
const NAMES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function isFound({ label, address }: EthereumKey, text: string): boolean {
  const sought = text.trim().toLowerCase();
  return label.toLowerCase().includes(sought) || toChecksumAddress(address).toLowerCase().includes(sought);
}

/** Returns the matching keys in the requested order. Ties are ordered newest first. */
export function searchKeys(keys: readonly EthereumKey[], search: KeySearch): readonly EthereumKey[] {
  const { text, archived, order, lastUses } = search;
  const found = keys.filter((key) => archived === "include" || key.archivedAt === null)
    .filter((key) => isFound(key, text)).toSorted((one, other) => other.keyIndex - one.keyIndex);
  const lastUse = ({ id }: EthereumKey): Instant => lastUses.get(id) ?? 0;
  switch (order) {
    case "newest":
      return found;
    case "name":
      return found.toSorted((one, other) => NAMES.compare(one.label, other.label));
    case "used":
      return found.toSorted((one, other) => lastUse(other) - lastUse(one));
  }
}
