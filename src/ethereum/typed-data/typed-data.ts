import { concat, utf8 } from "../../lib/bytes.ts";
import { perObject } from "../../lib/per-object.ts";
import { keccak256 } from "../keccak.ts";
import { DOMAIN_TYPE, domainType } from "./typed-data-domain.ts";
import { didYouMean, isObject, quote } from "../reading.ts";
import {
  checkMembers,
  type Reading,
  refuse,
  spendHash,
  startReading,
  TYPED_DATA_LIMITS,
} from "./typed-data-reading.ts";
import { readTypes, type StructType, type ValueType } from "./typed-data-types.ts";
import { type CheckedValue, readStruct, type ValueReading } from "./typed-data-values.ts";

export { TYPED_DATA_LIMITS, TypedDataError } from "./typed-data-reading.ts";

/** A struct type with a value that fits it. */
export interface CheckedStruct {
  readonly type: StructType;
  readonly value: CheckedValue;
}

/** Typed data that has one digest: everything in it is checked, and nothing in it goes unsigned. */
export interface CheckedTypedData {
  readonly domain: CheckedStruct;
  /** Undefined when the primary type is EIP712Domain: then the domain alone is signed. */
  readonly message: CheckedStruct | undefined;
  /** The canonical text of each struct that has a value here. */
  readonly typeTexts: ReadonlyMap<StructType, string>;
  /** What reading and hashing it costs, in steps. */
  readonly steps: number;
}

/** The hashes of EIP-712, 32 bytes each. */
export interface TypedDataHashes {
  /** What is signed. */
  readonly digest: Uint8Array<ArrayBuffer>;
  readonly domainSeparator: Uint8Array<ArrayBuffer>;
  /** hashStruct(message); undefined when the domain alone is signed. */
  readonly structHash: Uint8Array<ArrayBuffer> | undefined;
}

const BODY = ["types", "primaryType", "domain", "message"];
const PREFIX = Uint8Array.of(0x19, 0x01);

/**
 * Reads a JSON value as EIP-712 typed data: an object of `types`, `primaryType`, `domain` and `message`, nothing
 * else. Whatever it accepts has exactly one reading; everything else throws a TypedDataError with a pointer to the
 * fault, and no JSON value makes it throw anything else. The limits bound its work and that of `hashTypedData`.
 * Does not see what JSON.parse has lost: duplicate members, and digits beyond a double's.
 */
export function parseTypedData(input: unknown): CheckedTypedData {
  const reading: ValueReading = { ...startReading(), typeTexts: new Map() };
  if (!isObject(input)) refuse(reading, "Expected an object");
  checkMembers(reading, input, BODY);
  const types = within(reading, "types", () => readTypes(reading, input.types));
  const primary = primaryStruct(reading, types, input.primaryType);
  const domainStruct = domainType(reading, types, input.domain);
  const domain = within(reading, "domain", () => readStruct(reading, domainStruct, input.domain, 1));
  const message = within(reading, "message", () => readMessage(reading, primary, input.message));
  spendHash(reading, 66);
  return {
    domain: { type: domainStruct, value: domain },
    message,
    typeTexts: reading.typeTexts,
    steps: TYPED_DATA_LIMITS.steps - reading.stepsLeft,
  };
}

function within<Result>(reading: Reading, name: string, read: () => Result): Result {
  reading.trail.push(name);
  const result = read();
  reading.trail.pop();
  return result;
}

/** The struct that `primaryType` names; undefined for EIP712Domain. */
function primaryStruct(
  reading: Reading,
  types: ReadonlyMap<string, StructType>,
  name: unknown,
): StructType | undefined {
  if (typeof name !== "string") refuse(reading, "Expected a string", "primaryType");
  if (name === DOMAIN_TYPE) return undefined;
  const struct = types.get(name);
  if (struct !== undefined) return struct;
  refuse(reading, `Unknown struct ${quote(name)}${didYouMean(name, types.keys())}`, "primaryType");
}

/**
 * With EIP712Domain as primary type, wallets sign 0x19 0x01 and the domain separator and leave the message out. So
 * the message must be empty: what is not signed must not look signed.
 */
function readMessage(
  reading: ValueReading,
  primary: StructType | undefined,
  message: unknown,
): CheckedStruct | undefined {
  if (primary !== undefined) return { type: primary, value: readStruct(reading, primary, message, 1) };
  if (!isObject(message) || Object.keys(message).length > 0) {
    refuse(reading, `Expected an empty object: with primary type ${DOMAIN_TYPE} the message is not signed`);
  }
  return undefined;
}

/**
 * The digest of checked typed data (EIP-712, "Specification"), with the two hashes it is made of: computed once for each
 * object, as long data takes tens of milliseconds.
 */
export const hashTypedData = perObject((checked: CheckedTypedData): TypedDataHashes => {
  const typeHashes = new Map<StructType, Uint8Array>();
  for (const [type, text] of checked.typeTexts) typeHashes.set(type, keccak256(utf8(text)));
  const domainSeparator = hashStruct(typeHashes, checked.domain);
  if (checked.message === undefined) {
    return { digest: keccak256(concat(PREFIX, domainSeparator)), domainSeparator, structHash: undefined };
  }
  const structHash = hashStruct(typeHashes, checked.message);
  return { digest: keccak256(concat(PREFIX, domainSeparator, structHash)), domainSeparator, structHash };
});

type TypeHashes = ReadonlyMap<StructType, Uint8Array>;

/** keccak256(typeHash ‖ encodeData(value)). The value is an object's, never null. */
function hashStruct(typeHashes: TypeHashes, struct: CheckedStruct): Uint8Array<ArrayBuffer> {
  return hashMembers(typeHashes, struct.type, struct.value as readonly CheckedValue[]);
}

function hashMembers(
  typeHashes: TypeHashes,
  type: StructType,
  members: readonly CheckedValue[],
): Uint8Array<ArrayBuffer> {
  const words = new Uint8Array(32 * (members.length + 1));
  words.set(typeHashes.get(type)!);
  for (let index = 0; index < members.length; index++) {
    words.set(encodeValue(typeHashes, type.fields[index]!.type, members[index]!), 32 * (index + 1));
  }
  return keccak256(words);
}

/** The 32-byte word that stands for a value in its struct or array (EIP-712, "Definition of encodeData"). */
function encodeValue(typeHashes: TypeHashes, type: ValueType, value: CheckedValue): Uint8Array {
  if (value === null) return new Uint8Array(32);
  if (value instanceof Uint8Array) {
    return type.kind === "string" || type.kind === "bytes" ? keccak256(value) : value;
  }
  if (type.kind === "struct") return hashMembers(typeHashes, type, value);
  const words = new Uint8Array(32 * value.length);
  const item = (type as { readonly item: ValueType }).item;
  for (let index = 0; index < value.length; index++) {
    words.set(encodeValue(typeHashes, item, value[index]!), 32 * index);
  }
  return keccak256(words);
}
