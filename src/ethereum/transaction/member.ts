import { fromHex, toHex } from "../../lib/bytes.ts";
import { readAddress, toChecksumAddress } from "../address.ts";
import { integerOf } from "../json-reading.ts";
import { type Reading, refuse, within } from "./transaction-reading.ts";
import { itemsOf, nextItem, type RlpInput, type RlpItem } from "./rlp.ts";

export type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * A kind of member. Both readers return the same value for the same transaction and throw TransactionError for other
 * input. The JSON reader accepts the output of `toJson`.
 */
export interface Member<T> {
  readonly fromJson: (reading: Reading, value: unknown) => T;
  readonly fromRlp: (reading: Reading, item: RlpItem) => T;
  readonly toRlp: (value: T) => RlpInput;
  readonly toJson: (value: T) => Json;
  /** The value of a member that a JSON object omits. Without it, the reader refuses the omission. */
  readonly absent?: T;
  /** A second name that other programs use in JSON. If an object has both, the values must be equal. */
  readonly alias?: string;
  /** The reason in the message if the member is missing. */
  readonly whenMissing?: string;
}

export function bytesOf(reading: Reading, item: RlpItem): Uint8Array {
  return item.kind === "bytes" ? item.content : refuse(reading, "Expected bytes, not a list");
}

/** Returns a member for an integer from `least` to `most`, inclusive. JSON shows it in decimal digits. */
export function integer(least: bigint, most: bigint): Member<bigint> {
  function inRange(reading: Reading, value: bigint): bigint {
    if (value < least) refuse(reading, `Too small: at least ${least}`);
    if (value > most) refuse(reading, `Too large: at most ${most}`);
    return value;
  }

  return {
    fromJson: (reading, value) => {
      const name = String(reading.segments.at(-1));
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

/** Returns a member for bytes of any length, or of exactly `size`. */
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

/** An account or a contract. Mixed case requires a correct checksum (EIP-55). */
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

/** Returns a member that runs `check` on the value after reading it from JSON or RLP. */
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

export function listOf<T>(kind: Member<T>): Member<readonly T[]> {
  return {
    fromJson: (reading, value) => {
      if (!Array.isArray(value)) refuse(reading, "Expected a list");
      // Array.from also reads holes, which map() skips.
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
