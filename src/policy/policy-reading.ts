import { readAddress, toChecksumAddress } from "../ethereum/address.ts";
import { didYouMean, integerOf, isObject, pointer, quote } from "../ethereum/json-reading.ts";
import { fromHex, toHex } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { POLICY_LIMITS } from "./policy.ts";

export type Reader<T> = (value: unknown, path: string) => T;

/** Throws `invalid_request` with the JSON pointer and message. */
export function refuse(path: string, message: string): never {
  throw new ProtocolError("invalid_request", "Cannot read policy: some members are wrong", {
    errors: [{ path, message }],
  });
}

export function below(path: string, name: string | number): string {
  return path + pointer([name]);
}

type Members = Readonly<Record<string, unknown>>;

/** Reads an object with all required members. Refuses any member that is not listed. */
export function readMembers(
  value: unknown,
  path: string,
  { required, optional = [] }: {
    readonly required: readonly string[];
    readonly optional?: readonly string[];
  },
): Members {
  if (!isObject(value)) refuse(path, "Expected an object");
  const known = [...required, ...optional];
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const absent = known.filter((one) => !Object.hasOwn(value, one));
    const at = name.length <= POLICY_LIMITS.text && name.isWellFormed() ? below(path, name) : path;
    refuse(at, `Unknown member ${quote(name)}${didYouMean(name, absent)}`);
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) refuse(below(path, missing), `Missing member ${quote(missing)}`);
  return value;
}

/** Reads an optional member. Returns an object to spread. */
export function optional<N extends string, T>(
  members: Members,
  path: string,
  name: N,
  read: Reader<T>,
): { readonly [M in N]?: T } {
  if (!Object.hasOwn(members, name)) return {};
  return { [name]: read(members[name], below(path, name)) } as { readonly [M in N]?: T };
}

/** Reads optional members of one type. Returns an object to spread. */
export function optionals<N extends string, T>(
  members: Members,
  path: string,
  readers: Readonly<Record<N, Reader<T>>>,
): { readonly [M in N]?: T } {
  const names = Object.keys(readers) as N[];
  return Object.assign({}, ...names.map((name) => optional(members, path, name, readers[name])));
}

export function withDefault<T>(members: Members, path: string, name: string, read: Reader<T>, absent: T): T {
  return Object.hasOwn(members, name) ? read(members[name], below(path, name)) : absent;
}

export function readList<T>(read: Reader<T>, least: number, most: number): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) refuse(path, "Expected a list");
    if (value.length < least || value.length > most) refuse(path, `Expected ${least} to ${most} items`);
    return value.map((item, index) => read(item, below(path, index)));
  };
}

/** Reads a list of at least one value, without duplicates. */
export function readSet<T extends string | boolean>(read: Reader<T>): Reader<readonly T[]> {
  const readItems = readList(read, 1, POLICY_LIMITS.list);
  return (value, path) => {
    const items = readItems(value, path);
    const twice = items.findIndex((item, index) => items.indexOf(item) < index);
    if (twice >= 0) refuse(below(path, twice), "Expected each value once");
    return items;
  };
}

export function readWord<W extends string>(...words: readonly W[]): Reader<W> {
  return (value, path) =>
    words.find((word) => word === value) ??
      refuse(path, `Expected ${words.map((word) => JSON.stringify(word)).join(" or ")}`);
}

/** Reads any text as one of the given words, and other values with `read`. */
export function readWordOr<W extends string, T>(words: readonly W[], read: Reader<T>): Reader<W | T> {
  return (value, path) => typeof value === "string" ? readWord(...words)(value, path) : read(value, path);
}

/** Reads well-formed text of at most `POLICY_LIMITS.text` characters. */
export const readText: Reader<string> = (value, path) => {
  if (typeof value !== "string" || !value.isWellFormed() || value.length > POLICY_LIMITS.text) {
    refuse(path, `Expected a text of at most ${POLICY_LIMITS.text} characters`);
  }
  return value;
};

/** Reads an integer in this range in any notation, and returns decimal digits. */
export function readInteger(least: bigint, most: bigint): Reader<string> {
  return (value, path) => {
    const integer = integerOf(value, "this place", (fault) => refuse(path, fault));
    if (integer < least || integer > most) refuse(path, `Expected an integer from ${least} to ${most}`);
    return integer.toString();
  };
}

export const readAmount: Reader<string> = readInteger(0n, (1n << 256n) - 1n);

/** Reads a chain id (EIP-2294). */
export const readChainId: Reader<string> = readInteger(1n, (1n << 63n) - 37n);

/** Reads the chain id of a domain, which may be any uint256. */
export const readDomainChainId: Reader<string> = readInteger(0n, (1n << 256n) - 1n);

/** Reads a JSON number without fraction in this range. */
export function readCount(least: number, most: number): Reader<number> {
  return (value, path) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) {
      return value;
    }
    refuse(path, `Expected a whole number from ${least} to ${most}`);
  };
}

/** Reads an address in one case or with a correct checksum (EIP-55). */
export const readAddressText: Reader<string> = (value, path) => {
  const address = typeof value === "string" ? readAddress(value) : undefined;
  if (address === undefined) {
    refuse(path, "Expected an address: 0x and 40 hex digits, with a correct checksum or without");
  }
  return toChecksumAddress(address);
};

/** Reads `length` bytes of 0x-hex, and returns lower case. */
export function readBytes(length: number): Reader<string> {
  return (value, path) => {
    const bytes = typeof value === "string" ? fromHex(value) : undefined;
    if (bytes?.length !== length) refuse(path, `Expected 0x and ${2 * length} hex digits`);
    return toHex(bytes);
  };
}
