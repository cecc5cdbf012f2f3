import { toChecksumAddress } from "../ethereum/address.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { fromHex, toHex, utf8 } from "../lib/bytes.ts";

export type AbiType =
  | {
    readonly kind: "uint" | "int" | "address" | "bool" | "fixed-bytes" | "bytes" | "string";
    /** Bits of an integer, bytes of a `bytesN`, otherwise 0. */
    readonly size: number;
    readonly text: string;
  }
  | {
    readonly kind: "array";
    readonly item: AbiType;
    readonly length: number | undefined;
    readonly text: string;
  }
  | { readonly kind: "tuple"; readonly components: readonly AbiParameter[]; readonly text: string };

export interface AbiParameter {
  readonly name: string;
  readonly type: AbiType;
}

export interface AbiFunction {
  /** `transfer(address,uint256)`. */
  readonly signature: string;
  /** The first four bytes of the signature's hash, as 0x-hex. */
  readonly selector: string;
  readonly parameters: readonly AbiParameter[];
}

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*/;

const ATOM = /^(?:address|bool|bytes|string|bytes([1-9]\d?)|(u?int)([1-9]\d{0,2}))(?![A-Za-z0-9_$])/;

interface Cursor {
  rest: string;
}

/**
 * Reads a function with named parameters, such as `transfer(address to,uint256 value)`. Requires canonical types, and a
 * tuple as `(…) name`. Skips one blank after a comma. Returns undefined for anything else.
 */
export function readAbiFunction(text: string): AbiFunction | undefined {
  const name = NAME.exec(text)?.[0];
  if (name === undefined || text.length > 4_096) return undefined;
  const cursor = { rest: text.slice(name.length) };
  const parameters = readParameters(cursor, 0);
  if (parameters === undefined || cursor.rest !== "") return undefined;
  const signature = `${name}(${parameters.map(({ type }) => type.text).join(",")})`;
  return { signature, selector: toHex(keccak256(utf8(signature)).subarray(0, 4)), parameters };
}

function take(cursor: Cursor, text: string): boolean {
  if (!cursor.rest.startsWith(text)) return false;
  cursor.rest = cursor.rest.slice(text.length);
  return true;
}

function readParameters(cursor: Cursor, depth: number): readonly AbiParameter[] | undefined {
  if (depth > 8 || !take(cursor, "(")) return undefined;
  const parameters: AbiParameter[] = [];
  if (take(cursor, ")")) return parameters;
  do {
    take(cursor, " ");
    const type = readAbiType(cursor, depth);
    if (type === undefined || !take(cursor, " ")) return undefined;
    const name = NAME.exec(cursor.rest)?.[0];
    if (name === undefined || parameters.some((parameter) => parameter.name === name)) return undefined;
    take(cursor, name);
    parameters.push({ name, type });
  } while (take(cursor, ","));
  return take(cursor, ")") ? parameters : undefined;
}

function readAbiType(cursor: Cursor, depth: number): AbiType | undefined {
  let type = cursor.rest.startsWith("(") ? readTuple(cursor, depth) : readAtom(cursor);
  for (;;) {
    const [dimension, digits] = /^\[([1-9]\d{0,3})?\]/.exec(cursor.rest) ?? [];
    if (type === undefined || dimension === undefined) return type;
    take(cursor, dimension);
    const length = digits === undefined ? undefined : Number(digits);
    type = { kind: "array", item: type, length, text: type.text + dimension };
  }
}

function readTuple(cursor: Cursor, depth: number): AbiType | undefined {
  const components = readParameters(cursor, depth + 1);
  if (components === undefined) return undefined;
  return { kind: "tuple", components, text: `(${components.map(({ type }) => type.text).join(",")})` };
}

function readAtom(cursor: Cursor): AbiType | undefined {
  const [text, bytes, family, bits] = ATOM.exec(cursor.rest) ?? [];
  if (text === undefined) return undefined;
  take(cursor, text);
  if (bytes !== undefined) {
    return Number(bytes) <= 32 ? { kind: "fixed-bytes", size: Number(bytes), text } : undefined;
  }
  if (family === "uint" || family === "int") {
    const size = Number(bits);
    return size % 8 === 0 && size <= 256 ? { kind: family, size, text } : undefined;
  }
  return { kind: text as "address" | "bool" | "bytes" | "string", size: 0, text };
}

/** Thrown for bytes that do not match the types exactly. */
class AbiError extends Error {}

/** The remaining number of values. A length can claim more values than there are bytes. */
interface Budget {
  left: number;
}

export interface DecodedCall {
  /** The arguments by name. */
  readonly given: PlainStruct;
  /** The bytes behind the arguments, as 0x-hex. The function ignores them, unless it reads the raw call. */
  readonly rest: string;
}

/**
 * Decodes the arguments by name. Accepts only the bytes that a compiler writes, and any bytes behind them: offsets in
 * order, no gaps, zero padding or sign extension. Returns undefined for anything else, although contracts accept more.
 */
export function decodeArguments(
  { selector, parameters }: AbiFunction,
  data: string,
): DecodedCall | undefined {
  if (!data.startsWith(selector)) return undefined;
  const bytes = fromHex("0x" + data.slice(selector.length));
  if (bytes === undefined) return undefined;
  try {
    const { value, end } = readSequence(bytes, 0, parameters, { left: 4_096 });
    return { given: nameAll(parameters, value), rest: toHex(bytes.subarray(end)) };
  } catch (error) {
    if (!(error instanceof AbiError)) throw error;
    return undefined;
  }
}

/** Decodes the arguments by name. Like `decodeArguments`, but also refuses bytes behind the arguments. */
export function decodeCall(called: AbiFunction, data: string): PlainStruct | undefined {
  const decoded = decodeArguments(called, data);
  return decoded?.rest === "0x" ? decoded.given : undefined;
}

function nameAll(parameters: readonly AbiParameter[], values: readonly Plain[]): PlainStruct {
  return Object.fromEntries(parameters.map(({ name }, index) => [name, values[index]!]));
}

function isDynamic(type: AbiType): boolean {
  if (type.kind === "array") return type.length === undefined || isDynamic(type.item);
  if (type.kind === "tuple") return type.components.some((component) => isDynamic(component.type));
  return type.kind === "bytes" || type.kind === "string";
}

/** Returns the bytes of a type's head: an offset if it is dynamic. */
function headSize(type: AbiType): number {
  if (isDynamic(type)) return 32;
  if (type.kind === "array") return type.length! * headSize(type.item);
  if (type.kind === "tuple") return type.components.reduce((sum, { type }) => sum + headSize(type), 0);
  return 32;
}

function wordAt(bytes: Uint8Array, at: number): Uint8Array {
  if (at + 32 > bytes.length) throw new AbiError();
  return bytes.subarray(at, at + 32);
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const length = BigInt(toHex(wordAt(bytes, at)));
  if (length > BigInt(bytes.length)) throw new AbiError();
  return Number(length);
}

/** Reads consecutive values: first all heads, then the tails. Offsets count from `start`. */
function readSequence(
  bytes: Uint8Array,
  start: number,
  parts: readonly Pick<AbiParameter, "type">[],
  budget: Budget,
): { value: readonly Plain[]; end: number } {
  let head = start;
  let tail = start + parts.reduce((sum, { type }) => sum + headSize(type), 0);
  const values: Plain[] = [];
  for (const { type } of parts) {
    if (isDynamic(type)) {
      if (lengthAt(bytes, head) !== tail - start) throw new AbiError();
      const { value, end } = readDynamic(bytes, tail, type, budget);
      values.push(value);
      tail = end;
    } else {
      values.push(readStatic(bytes, head, type, budget));
    }
    head += headSize(type);
  }
  return { value: values, end: tail };
}

function readDynamic(
  bytes: Uint8Array,
  at: number,
  type: AbiType,
  budget: Budget,
): { value: Plain; end: number } {
  if (type.kind === "bytes" || type.kind === "string") return readBytes(bytes, at, type.kind);
  if (type.kind === "tuple") {
    const { value, end } = readSequence(bytes, at, type.components, budget);
    return { value: nameAll(type.components, value), end };
  }
  if (type.kind !== "array") throw new AbiError();
  const length = type.length ?? lengthAt(bytes, at);
  budget.left -= length;
  if (budget.left < 0) throw new AbiError();
  const start = type.length === undefined ? at + 32 : at;
  return readSequence(bytes, start, Array.from({ length }, () => ({ type: type.item })), budget);
}

function readBytes(bytes: Uint8Array, at: number, kind: "bytes" | "string"): { value: Plain; end: number } {
  const length = lengthAt(bytes, at);
  const end = at + 32 + 32 * Math.ceil(length / 32);
  const content = bytes.subarray(at + 32, at + 32 + length);
  if (end > bytes.length || bytes.subarray(at + 32 + length, end).some((byte) => byte !== 0)) {
    throw new AbiError();
  }
  return { value: kind === "bytes" ? toHex(content) : textOf(content), end };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AbiError();
  }
}

function readStatic(bytes: Uint8Array, at: number, type: AbiType, budget: Budget): Plain {
  if (--budget.left < 0) throw new AbiError();
  if (type.kind === "tuple") {
    return nameAll(type.components, readSequence(bytes, at, type.components, budget).value);
  }
  if (type.kind === "array") {
    const items = Array.from({ length: type.length! }, () => ({ type: type.item }));
    return readSequence(bytes, at, items, budget).value;
  }
  return readWord(wordAt(bytes, at), type);
}

function readWord(word: Uint8Array, { kind, size }: Exclude<AbiType, { kind: "array" | "tuple" }>): Plain {
  const whole = BigInt(toHex(word));
  switch (kind) {
    case "address":
      if (whole >> 160n !== 0n) throw new AbiError();
      return toChecksumAddress(word.subarray(12));
    case "bool":
      if (whole > 1n) throw new AbiError();
      return whole === 1n;
    case "fixed-bytes":
      if (word.subarray(size).some((byte) => byte !== 0)) throw new AbiError();
      return toHex(word.subarray(0, size));
    case "int": {
      const signed = BigInt.asIntN(size, whole);
      if (BigInt.asUintN(256, signed) !== whole) throw new AbiError();
      return signed.toString();
    }
    default:
      if (whole >> BigInt(size) !== 0n) throw new AbiError();
      return whole.toString();
  }
}

/** A value in the form of `explainTypedData`: integers in decimal, addresses with checksum, bytes as 0x-hex. */
export type Plain = string | boolean | readonly Plain[] | PlainStruct;

export interface PlainStruct {
  readonly [member: string]: Plain;
}
