import { concat, utf8 } from "../../lib/bytes.ts";
import { type CooperativeTask, runSync } from "../../lib/cooperative.ts";
import { memoize } from "../../lib/memoize.ts";
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
import { type ArrayType, readTypes, type StructType, type ValueType } from "./typed-data-types.ts";
import { type CheckedValue, readStruct, type ValueReading } from "./typed-data-values.ts";

export { TYPED_DATA_LIMITS, TypedDataError } from "./typed-data-reading.ts";

export interface CheckedStruct {
  readonly type: StructType;
  readonly value: CheckedValue;
}

/** Checked typed data. It has one digest, and the signature covers all of it. */
export interface CheckedTypedData {
  readonly domain: CheckedStruct;
  /** Undefined if the primary type is EIP712Domain, which signs the domain alone. */
  readonly message: CheckedStruct | undefined;
  /** The canonical text of each struct that has a value in the document. */
  readonly typeTexts: ReadonlyMap<StructType, string>;
  /** The cost of reading and hashing it, in steps. */
  readonly steps: number;
}

/** The hashes of EIP-712, 32 bytes each. */
export interface TypedDataHashes {
  /** The digest to sign. */
  readonly digest: Uint8Array<ArrayBuffer>;
  readonly domainSeparator: Uint8Array<ArrayBuffer>;
  /** hashStruct(message); undefined if the domain alone is signed. */
  readonly structHash: Uint8Array<ArrayBuffer> | undefined;
}

const BODY = ["types", "primaryType", "domain", "message"];

const PREFIX = Uint8Array.of(0x19, 0x01);

/**
 * Reads EIP-712 typed data. Throws only TypedDataError, with a pointer to the fault. Accepts no input with more than
 * one reading. The limits bound its work and that of `hashTypedData`. Does not see what JSON.parse has lost: duplicate
 * members and digits beyond a double's.
 */
export function parseTypedData(input: unknown): CheckedTypedData {
  return runSync(parseTask(input));
}

/** Runs `parseTypedData` in parts of about a millisecond each. */
export function* parseTask(input: unknown): CooperativeTask<CheckedTypedData> {
  const reading: ValueReading = { ...startReading(), typeTexts: new Map() };
  if (!isObject(input)) refuse(reading, "Expected an object");
  checkMembers(reading, input, BODY);
  reading.segments.push("types");
  const types = readTypes(reading, input.types);
  reading.segments.pop();
  const primary = primaryStruct(reading, types, input.primaryType);
  const domainStruct = domainType(reading, types, input.domain);
  reading.segments.push("domain");
  const domain = yield* readStruct(reading, domainStruct, input.domain, 1);
  reading.segments[0] = "message";
  const message = yield* readMessage(reading, primary, input.message);
  spendHash(reading, 66);
  return {
    domain: { type: domainStruct, value: domain },
    message,
    typeTexts: reading.typeTexts,
    steps: TYPED_DATA_LIMITS.steps - reading.stepsLeft,
  };
}

/** Returns the struct that `primaryType` names, or undefined for EIP712Domain. */
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
 * Requires an empty message with EIP712Domain as primary type, because wallets then sign only the domain separator. No
 * unsigned value may look signed.
 */
function* readMessage(
  reading: ValueReading,
  primary: StructType | undefined,
  message: unknown,
): CooperativeTask<CheckedStruct | undefined> {
  if (primary !== undefined) return { type: primary, value: yield* readStruct(reading, primary, message, 1) };
  if (!isObject(message) || Object.keys(message).length > 0) {
    refuse(reading, `Expected an empty object: with primary type ${DOMAIN_TYPE} the message is not signed`);
  }
  return undefined;
}

const hashed = new WeakMap<CheckedTypedData, TypedDataHashes>();

/**
 * Returns the digest (EIP-712, "Specification"). Caches it per object, because long data takes tens of milliseconds.
 */
export function hashTypedData(checked: CheckedTypedData): TypedDataHashes {
  return hashed.get(checked) ?? runSync(hashTask(checked));
}

/** Runs `hashTypedData` in parts of about a millisecond each. */
export function* hashTask(checked: CheckedTypedData): CooperativeTask<TypedDataHashes> {
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

/** The state of one hashing. Its steps count down from zero. */
interface Hashing extends Pick<Reading, "stepsLeft" | "partEnd"> {
  readonly typeHashes: Map<StructType, Uint8Array>;
}

function hash(hashing: Hashing, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  hashing.stepsLeft -= hashSteps(bytes.length);
  return keccak256(bytes);
}

/** Computes keccak256(typeHash ‖ encodeData(value)). The value is never null. */
function hashStruct(
  hashing: Hashing,
  { type, value }: CheckedStruct,
): CooperativeTask<Uint8Array<ArrayBuffer>> {
  return hashMembers(hashing, type, value as readonly CheckedValue[]);
}

function* hashMembers(
  hashing: Hashing,
  type: StructType,
  members: readonly CheckedValue[],
): CooperativeTask<Uint8Array<ArrayBuffer>> {
  const messages = new Uint8Array(32 * (members.length + 1));
  messages.set(hashing.typeHashes.get(type)!);
  for (let index = 0; index < members.length; index++) {
    const field = type.fields[index]!.type;
    const member = members[index]!;
    messages.set(
      encodeAtom(hashing, field, member) ?? (yield* encodeInside(hashing, field, member)),
      32 * (index + 1),
    );
    if (isPartDone(hashing)) yield;
  }
  return hash(hashing, messages);
}

/**
 * Returns the 32-byte word of a value (EIP-712, "Definition of encodeData"), or undefined if the value contains others.
 */
function encodeAtom(hashing: Hashing, type: ValueType, value: CheckedValue): Uint8Array | undefined {
  if (value === null) return new Uint8Array(32);
  if (!(value instanceof Uint8Array)) return undefined;
  return type.kind === "string" || type.kind === "bytes" ? hash(hashing, value) : value;
}

function* encodeInside(hashing: Hashing, type: ValueType, value: CheckedValue): CooperativeTask<Uint8Array> {
  const inside = value as readonly CheckedValue[];
  if (type.kind === "struct") return yield* hashMembers(hashing, type, inside);
  const messages = new Uint8Array(32 * inside.length);
  const { item } = type as ArrayType;
  for (let index = 0; index < inside.length; index++) {
    const one = inside[index]!;
    messages.set(encodeAtom(hashing, item, one) ?? (yield* encodeInside(hashing, item, one)), 32 * index);
    if (isPartDone(hashing)) yield;
  }
  return hash(hashing, messages);
}

/** The longest text that is cached, in characters. */
const LONGEST_KEPT = 2_048;

/** The size of the cache. Applications send the same few types again and again. */
const KEPT = 1_000;

/** A cache of type hashes by type text. */
const hashes = new Map<string, Uint8Array>();

function hashText(text: string): Uint8Array {
  return keccak256(utf8(text));
}

/**
 * Computes a type's hash (EIP-712, "Definition of hashStruct"). Callers must not change the array: the cache shares it.
 */
export function typeHashOf(text: string): Uint8Array {
  return text.length > LONGEST_KEPT ? hashText(text) : memoize(hashes, text, KEPT, hashText);
}
