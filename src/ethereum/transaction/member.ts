import { fromHex, toHex } from "../../lib/bytes.ts";
import { readAddress, toChecksumAddress } from "../address.ts";
import { integerOf } from "../json-reading.ts";
import { type Reading, refuse, within } from "./transaction-reading.ts";
import { itemsOf, nextItem, type RlpInput, type RlpItem } from "./rlp.ts";

/** What is plain JSON. */
export type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * How one kind of member is read from JSON and from RLP, written as RLP and shown as JSON. Both readers give the same
 * value for the same transaction and refuse what they cannot take with a TransactionError. What is shown reads back.
 */
export interface Member<T> {
  readonly fromJson: (reading: Reading, value: unknown) => T;
  readonly fromRlp: (reading: Reading, item: RlpItem) => T;
  readonly toRlp: (value: T) => RlpInput;
  readonly toJson: (value: T) => Json;
  /** What stands for a member that a JSON object leaves out; without it, leaving it out is refused. */
  readonly absent?: T;
  /** The other name that programs give it in JSON. Under both at once it must be the same. */
  readonly alsoCalled?: string;
  /** What to say of it where it is missing. */
  readonly whenMissing?: string;
}

/** The content of an item that is bytes. */
export function bytesOf(reading: Reading, item: RlpItem): Uint8Array {
  return item.kind === "bytes" ? item.content : refuse(reading, "Expected bytes, not a list");
}

/** An integer of `least` to `most`, both included. JSON shows it in decimal digits. */
export function integer(least: bigint, most: bigint): Member<bigint> {
  function inRange(reading: Reading, value: bigint): bigint {
    if (value < least) refuse(reading, `Too small: at least ${least}`);
    if (value > most) refuse(reading, `Too large: at most ${most}`);
    return value;
  }

  return {
    fromJson: (reading, value) => {
      const name = String(reading.trail.at(-1));
      return inRange(reading, integerOf(value, name, (fault) => refuse(reading, fault)));
    },
    fromRlp: (reading, item) => {
      const bytes = bytesOf(reading, item);
      if (bytes[0] === 0) refuse(reading, "An integer begins with a zero byte");
      if (bytes.length > 32) refuse(reading, "An integer has more than 32 bytes");
      return inRange(reading, bytes.length === 0 ? 0n : BigInt(toHex(bytes)));
    },
    toRlp: (value) => value,
    toJson: (value) => value.toString(),
  };
}

/** Bytes of any number, or of exactly `size`. */
export function byteString(size?: number): Member<Uint8Array> {
  function checkSize(reading: Reading, bytes: Uint8Array): Uint8Array {
    if (size === undefined || bytes.length === size) return bytes;
    refuse(reading, `Wrong length: expected ${size} bytes, not ${bytes.length}`);
  }

  return {
    fromJson: (reading, value) => {
      const bytes = typeof value === "string" ? fromHex(value) : undefined;
      return checkSize(reading, bytes ?? refuse(reading, "Expected 0x and an even number of hex digits"));
    },
    fromRlp: (reading, item) => checkSize(reading, bytesOf(reading, item)),
    toRlp: (value) => value,
    toJson: toHex,
  };
}

/** An account or a contract. In mixed case, its checksum (EIP-55) must be right. */
export const ADDRESS: Member<Uint8Array> = {
  fromJson: (reading, value) => {
    if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
      refuse(reading, "Expected an address: 0x and 40 hex digits");
    }
    return readAddress(value) ??
      refuse(reading, "Wrong checksum: letters are not in the case that EIP-55 gives");
  },
  fromRlp: (reading, item) => {
    const bytes = bytesOf(reading, item);
    return bytes.length === 20 ? bytes : refuse(reading, `Expected 20 bytes, not ${bytes.length}`);
  },
  toRlp: (value) => value,
  toJson: toChecksumAddress,
};

/** A member of the kind that the check lets pass, whichever form it is read from. */
export function checked<T>(kind: Member<T>, check: (reading: Reading, value: T) => void): Member<T> {
  function pass(reading: Reading, value: T): T {
    check(reading, value);
    return value;
  }

  return {
    ...kind,
    fromJson: (reading, value) => pass(reading, kind.fromJson(reading, value)),
    fromRlp: (reading, item) => pass(reading, kind.fromRlp(reading, item)),
  };
}

/** Any number of items of one kind. */
export function listOf<T>(kind: Member<T>): Member<readonly T[]> {
  return {
    fromJson: (reading, value) => {
      if (!Array.isArray(value)) refuse(reading, "Expected a list");
      // Array.from, because map() would leave holes alone.
      return Array.from(value, (item, index) => within(reading, index, () => kind.fromJson(reading, item)));
    },
    fromRlp: (reading, item) => {
      if (item.kind !== "list") refuse(reading, "Expected a list, not bytes");
      const cursor = itemsOf(item);
      const items: T[] = [];
      for (let next = nextItem(cursor); next !== undefined; next = nextItem(cursor)) {
        const one = next;
        items.push(within(reading, items.length, () => kind.fromRlp(reading, one)));
      }
      return items;
    },
    toRlp: (value) => value.map(kind.toRlp),
    toJson: (value) => value.map(kind.toJson),
  };
}
