import { fromHex, utf8 } from "../../lib/bytes.ts";
import type { CooperativeTask } from "../../lib/cooperative.ts";
import { readAddress } from "../address.ts";
import { integerOf, isObject } from "../json-reading.ts";
import {
  checkMembers,
  isPartDone,
  type Reading,
  refuse,
  spendHash,
  spendSteps,
  TYPED_DATA_LIMITS,
} from "./typed-data-reading.ts";
import {
  type ArrayType,
  type AtomicType,
  encodeType,
  type StructType,
  type ValueType,
} from "./typed-data-types.ts";

/**
 * The 32-byte word of an integer, bool, address or bytesN, the bytes of a `bytes` or `string`, the items of an array,
 * the members of a struct, or null for an absent struct.
 */
export type CheckedValue = Uint8Array | readonly CheckedValue[] | null;

/** A reading of values, with the canonical text of each struct read so far. */
export interface ValueReading extends Reading {
  readonly typeTexts: Map<StructType, string>;
}

type AtomicReader = (reading: ValueReading, type: AtomicType, value: unknown) => Uint8Array;

const READERS: Readonly<Record<AtomicType["kind"], AtomicReader>> = {
  "uint": readInteger,
  "int": readInteger,
  "fixed-bytes": readFixedBytes,
  "bool": readBool,
  "address": readAddressWord,
  "bytes": readBytes,
  "string": readString,
};

function isAtomic(type: ValueType): type is AtomicType {
  return type.kind !== "struct" && type.kind !== "array";
}

export function* readStruct(
  reading: ValueReading,
  type: StructType,
  value: unknown,
  depth: number,
): CooperativeTask<CheckedValue> {
  if (!isObject(value)) refuse(reading, `Expected an object for ${type.text}`);
  checkDepth(reading, depth);
  checkMembers(reading, value, type.fieldNames);
  if (!reading.typeTexts.has(type)) reading.typeTexts.set(type, encodeType(reading, type));
  spendHash(reading, 32 * (type.fields.length + 1));
  const members: CheckedValue[] = [];
  for (const field of type.fields) {
    reading.segments.push(field.name);
    const { type } = field;
    spendValue(reading);
    const member = value[field.name];
    members.push(
      isAtomic(type)
        ? READERS[type.kind](reading, type, member)
        : yield* readInside(reading, type, member, depth + 1),
    );
    if (isPartDone(reading)) yield;
    reading.segments.pop();
  }
  return members;
}

function spendValue(reading: ValueReading): void {
  if (--reading.valuesLeft < 0) refuseValues(reading);
  spendSteps(reading, 1);
}

/** Reads a value that contains others. Does not coerce: refuses values that are not exactly of the type. */
function* readInside(
  reading: ValueReading,
  type: ArrayType | StructType,
  value: unknown,
  depth: number,
): CooperativeTask<CheckedValue> {
  if (type.kind === "array") return yield* readArray(reading, type, value, depth);
  // The EIP leaves recursion undefined. Deployed wallets end it with 32 zero bytes for an explicit null.
  return value === null ? null : yield* readStruct(reading, type, value, depth);
}

function* readArray(
  reading: ValueReading,
  type: ArrayType,
  value: unknown,
  depth: number,
): CooperativeTask<CheckedValue> {
  if (!Array.isArray(value)) refuse(reading, `Expected an array for ${type.text}`);
  if (type.length !== undefined && value.length !== type.length) {
    refuse(reading, `Wrong length: ${type.text} does not take ${value.length} items`);
  }
  checkDepth(reading, depth);
  if (value.length > reading.valuesLeft) refuseValues(reading);
  spendHash(reading, 32 * value.length);
  const { item } = type;
  const items: CheckedValue[] = [];
  for (let index = 0; index < value.length; index++) {
    reading.segments.push(index);
    spendValue(reading);
    items.push(
      isAtomic(item)
        ? READERS[item.kind](reading, item, value[index])
        : yield* readInside(reading, item, value[index], depth + 1),
    );
    if (isPartDone(reading)) yield;
    reading.segments.pop();
  }
  return items;
}

function refuseValues(reading: ValueReading): never {
  refuse(reading, `Too many values: at most ${TYPED_DATA_LIMITS.values}`);
}

function checkDepth(reading: ValueReading, depth: number): void {
  if (depth > TYPED_DATA_LIMITS.depth) refuse(reading, `Too deep: at most ${TYPED_DATA_LIMITS.depth} levels`);
}

function readInteger(reading: ValueReading, type: AtomicType, value: unknown): Uint8Array {
  const integer = integerOf(value, type.text, (fault) => refuse(reading, fault));
  const signed = type.kind === "int";
  const least = signed ? -(1n << BigInt(type.size - 1)) : 0n;
  const most = (1n << BigInt(signed ? type.size - 1 : type.size)) - 1n;
  if (integer < least || integer > most) refuse(reading, `Out of range for ${type.text}`);
  return Uint8Array.fromHex(BigInt.asUintN(256, integer).toString(16).padStart(64, "0"));
}

function readFixedBytes(reading: ValueReading, type: AtomicType, value: unknown): Uint8Array {
  const bytes = hexBytes(reading, type, value);
  if (bytes.length !== type.size) {
    refuse(reading, `Wrong length: ${type.text} takes ${type.size} bytes, not ${bytes.length}`);
  }
  const word = new Uint8Array(32);
  word.set(bytes);
  return word;
}

function readBool(reading: ValueReading, _type: AtomicType, value: unknown): Uint8Array {
  if (typeof value !== "boolean") refuse(reading, "Expected true or false");
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}

function readAddressWord(reading: ValueReading, _type: AtomicType, value: unknown): Uint8Array {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    refuse(reading, "Expected an address: 0x and 40 hex digits");
  }
  spendHash(reading, 40);
  const address = readAddress(value);
  if (address === undefined) refuse(reading, "Wrong checksum: letters are not in the case that EIP-55 gives");
  const word = new Uint8Array(32);
  word.set(address, 12);
  return word;
}

function readBytes(reading: ValueReading, type: AtomicType, value: unknown): Uint8Array {
  const bytes = hexBytes(reading, type, value);
  spendBytes(reading, bytes.length);
  return bytes;
}

function hexBytes(reading: ValueReading, type: AtomicType, value: unknown): Uint8Array {
  const bytes = typeof value === "string" ? fromHex(value) : undefined;
  return bytes ?? refuse(reading, `Expected 0x and an even number of hex digits for ${type.text}`);
}

function readString(reading: ValueReading, _type: AtomicType, value: unknown): Uint8Array {
  if (typeof value !== "string") refuse(reading, "Expected a string");
  if (!value.isWellFormed()) refuse(reading, "Ill-formed text: it has a lone surrogate");
  const bytes = utf8(value);
  spendBytes(reading, bytes.length);
  return bytes;
}

function spendBytes(reading: ValueReading, length: number): void {
  reading.bytesLeft -= length;
  if (reading.bytesLeft < 0) refuse(reading, `Too many bytes: at most ${TYPED_DATA_LIMITS.bytes}`);
  spendHash(reading, length);
}
