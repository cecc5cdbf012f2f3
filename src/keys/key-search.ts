import { toChecksumAddress } from "../ethereum/address.ts";
import type { Instant } from "../lib/time.ts";
import type { EthereumKey } from "./key.ts";

/** In which order people look at their keys. */
export const KEY_ORDERS = ["newest", "name", "used"] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

/** Which keys a person looks for, and in which order. */
export interface KeySearch {
  /** Part of a label or of an address, in any case; empty for all. */
  readonly words: string;
  readonly archived: "include" | "exclude";
  readonly order: KeyOrder;
  /** When each was used last, by its id. */
  readonly lastUses: ReadonlyMap<string, Instant>;
}

/** Names as people order them: `Key 10` behind `Key 9`. */
const NAMES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function isFound({ label, address }: EthereumKey, words: string): boolean {
  const sought = words.trim().toLowerCase();
  return label.toLowerCase().includes(sought) || toChecksumAddress(address).toLowerCase().includes(sought);
}

/**
 * Of an account's keys those that are looked for, in their order. What is alike is in the order of making, newest
 * first.
 */
export function searchKeys(keys: readonly EthereumKey[], search: KeySearch): readonly EthereumKey[] {
  const { words, archived, order, lastUses } = search;
  const found = keys.filter((key) => archived === "include" || key.archivedAt === null)
    .filter((key) => isFound(key, words)).toSorted((one, other) => other.keyIndex - one.keyIndex);
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
