import { concat, utf8 } from "../../lib/bytes.ts";
import { atOnce } from "../../lib/cooperative.ts";
import type { Parts } from "../../lib/cooperative.ts";
import { recall } from "../../lib/memoize.ts";
import { didYouMean, isObject, quote } from "../json-reading.ts";
import { keccak256 } from "../keccak.ts";
import { DOMAIN_TYPE, domainType } from "./typed-data-domain.ts";
import {
  checkMembers,
  hashSteps,
  isPartDone,
  PART,
  refuse,
  spendHash,
  startReading,
  TYPED_DATA_LIMITS,
} from "./typed-data-reading.ts";
import type { Reading } from "./typed-data-reading.ts";
import { readTypes } from "./typed-data-types.ts";
import type { ArrayType, StructType, ValueType } from "./typed-data-types.ts";
import { readStruct } from "./typed-data-values.ts";
import type { CheckedValue, ValueReading } from "./typed-data-values.ts";

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
  return atOnce(parseInParts(input));
}

/** `parseTypedData` in parts, of a few milliseconds each. */
export function* parseInParts(input: unknown): Parts<CheckedTypedData> {
  const reading: ValueReading = { ...startReading(), typeTexts: new Map() };
  if (!isObject(input)) refuse(reading, "Expected an object");
  checkMembers(reading, input, BODY);
  reading.trail.push("types");
  const types = readTypes(reading, input.types);
  reading.trail.pop();
  const primary = primaryStruct(reading, types, input.primaryType);
  const domainStruct = domainType(reading, types, input.domain);
  reading.trail.push("domain");
  const domain = yield* readStruct(reading, domainStruct, input.domain, 1);
  reading.trail[0] = "message";
  const message = yield* readMessage(reading, primary, input.message);
  spendHash(reading, 66);
  return {
    domain: { type: domainStruct, value: domain },
    message,
    typeTexts: reading.typeTexts,
    steps: TYPED_DATA_LIMITS.steps - reading.stepsLeft,
  };
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
function* readMessage(
  reading: ValueReading,
  primary: StructType | undefined,
  message: unknown,
): Parts<CheckedStruct | undefined> {
  if (primary !== undefined) return { type: primary, value: yield* readStruct(reading, primary, message, 1) };
  if (!isObject(message) || Object.keys(message).length > 0) {
    refuse(reading, `Expected an empty object: with primary type ${DOMAIN_TYPE} the message is not signed`);
  }
  return undefined;
}

const hashed = new WeakMap<CheckedTypedData, TypedDataHashes>();

/**
 * The digest of checked typed data (EIP-712, "Specification"), with the two hashes it is made of: computed once for each
 * object, as long data takes tens of milliseconds.
 */
export function hashTypedData(checked: CheckedTypedData): TypedDataHashes {
  return hashed.get(checked) ?? atOnce(hashInParts(checked));
}

/** `hashTypedData` in parts, of a few milliseconds each. */
export function* hashInParts(checked: CheckedTypedData): Parts<TypedDataHashes> {
  const hashing: Hashing = { typeHashes: new Map(), stepsLeft: 0, partEnd: -PART };
  for (const [type, text] of checked.typeTexts) {
    hashing.stepsLeft -= hashSteps(text.length);
    hashing.typeHashes.set(type, typeHashOf(text));
    if (isPartDone(hashing)) yield;
  }
  const domainSeparator = yield* hashStruct(hashing, checked.domain);
  const structHash = checked.message && (yield* hashStruct(hashing, checked.message));
  const digest = keccak256(
    concat(PREFIX, domainSeparator, ...(structHash === undefined ? [] : [structHash])),
  );
  const hashes = Object.freeze({ digest, domainSeparator, structHash });
  hashed.set(checked, hashes);
  return hashes;
}

/** The state of one hashing, whose steps are counted downwards from zero. */
interface Hashing extends Pick<Reading, "stepsLeft" | "partEnd"> {
  readonly typeHashes: Map<StructType, Uint8Array>;
}

function hash(hashing: Hashing, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  hashing.stepsLeft -= hashSteps(bytes.length);
  return keccak256(bytes);
}

/** keccak256(typeHash ‖ encodeData(value)). The value is an object's, never null. */
function hashStruct(hashing: Hashing, { type, value }: CheckedStruct): Parts<Uint8Array<ArrayBuffer>> {
  return hashMembers(hashing, type, value as readonly CheckedValue[]);
}

function* hashMembers(
  hashing: Hashing,
  type: StructType,
  members: readonly CheckedValue[],
): Parts<Uint8Array<ArrayBuffer>> {
  const words = new Uint8Array(32 * (members.length + 1));
  words.set(hashing.typeHashes.get(type)!);
  for (let index = 0; index < members.length; index++) {
    const field = type.fields[index]!.type;
    const member = members[index]!;
    words.set(
      encodeAtom(hashing, field, member) ?? (yield* encodeInside(hashing, field, member)),
      32 * (index + 1),
    );
    if (isPartDone(hashing)) yield;
  }
  return hash(hashing, words);
}

/**
 * The 32-byte word that stands for a value in its struct or array (EIP-712, "Definition of encodeData"); undefined for one
 * that holds others.
 */
function encodeAtom(hashing: Hashing, type: ValueType, value: CheckedValue): Uint8Array | undefined {
  if (value === null) return new Uint8Array(32);
  if (!(value instanceof Uint8Array)) return undefined;
  return type.kind === "string" || type.kind === "bytes" ? hash(hashing, value) : value;
}

/** The word of a value that holds others. */
function* encodeInside(hashing: Hashing, type: ValueType, value: CheckedValue): Parts<Uint8Array> {
  const inside = value as readonly CheckedValue[];
  if (type.kind === "struct") return yield* hashMembers(hashing, type, inside);
  const words = new Uint8Array(32 * inside.length);
  const { item } = type as ArrayType;
  for (let index = 0; index < inside.length; index++) {
    const one = inside[index]!;
    words.set(encodeAtom(hashing, item, one) ?? (yield* encodeInside(hashing, item, one)), 32 * index);
    if (isPartDone(hashing)) yield;
  }
  return hash(hashing, words);
}

/** Characters of the longest text that is kept. */
const LONGEST_KEPT = 2_048;

/** Texts that are kept: applications send the same few types again and again. */
const KEPT = 1_000;

/** The hashes reckoned last. A text has one for ever. */
const hashes = new Map<string, Uint8Array>();

function hashText(text: string): Uint8Array {
  return keccak256(utf8(text));
}

/** keccak256 of a type's text (EIP-712, "Definition of hashStruct"). Not to be changed: others have the same array. */
export function typeHashOf(text: string): Uint8Array {
  return text.length > LONGEST_KEPT ? hashText(text) : recall(hashes, text, KEPT, hashText);
}
