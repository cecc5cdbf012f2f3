import { didYouMean, isObject, quote } from "../json-reading.ts";
import {
  checkMembers,
  type Reading,
  refuse,
  refuseAt,
  spendHash,
  spendSteps,
  TYPED_DATA_LIMITS,
} from "./typed-data-reading.ts";

/** A type whose values are encoded as one word, or as the hash of their bytes. */
export interface AtomicType {
  readonly kind: "uint" | "int" | "fixed-bytes" | "bool" | "address" | "bytes" | "string";
  readonly text: string;
  /** Bits of an integer, bytes of a `bytesN`, otherwise 0. */
  readonly size: number;
}

export interface ArrayType {
  readonly kind: "array";
  readonly text: string;
  readonly item: ValueType;
  /** The number of items of a fixed array; undefined for a dynamic one. */
  readonly length: number | undefined;
}

export interface StructType {
  readonly kind: "struct";
  readonly text: string;
  readonly fields: readonly Field[];
  readonly fieldNames: readonly string[];
  /** The structs that its fields use, each once. */
  readonly references: ReadonlySet<StructType>;
  /** `Name(type field,…)`, without the structs that its fields use. */
  readonly signature: string;
}

export interface Field {
  readonly name: string;
  readonly type: ValueType;
}

export type ValueType = AtomicType | ArrayType | StructType;

/** A struct whose fields are being read. Its fields may use a later struct or the struct itself. */
interface Draft extends StructType {
  fields: readonly Field[];
  fieldNames: readonly string[];
  signature: string;
  readonly references: Set<StructType>;
}

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Words with a colon between them, as Hyperliquid's types have. Solidity has no such name. */
const STRUCT_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*(?::[A-Za-z_$][A-Za-z0-9_$]*)*$/;
const TYPE = /^([A-Za-z_$][A-Za-z0-9_$:]*)((?:\[(?:0|[1-9][0-9]*)?\])*)$/;
/** Names that are, or look like, a Solidity type. A struct with such a name would be ambiguous. */
const RESERVED = /^(?:address|bool|string|byte|bytes\d*|u?int\d*|u?fixed(?:\d+x\d+)?|function|mapping)$/;
const COMMON = ["address", "bool", "string", "bytes", "bytes32", "uint256", "uint8", "int256"];

/** The reasons to refuse a name that looks like a Solidity type. The first match applies. */
const NOT_TYPES: readonly (readonly [pattern: RegExp, why: (base: string) => string])[] = [
  [/^u?int$/, (base) => `: EIP-712 has no aliases; did you mean "${base}256"?`],
  [/^u?int\d+$/, () => ": integers have 8 to 256 bits in steps of 8"],
  [/^bytes\d+$/, () => ": fixed bytes have 1 to 32 bytes"],
  [RESERVED, () => ": EIP-712 does not have it"],
];

/**
 * Reads `types` (EIP-712, "Definition of typed structured data") and resolves every type. Accepts atomic types in their
 * full spelling, `bytes`, `string`, defined structs, and arrays of these. Accepts recursion and also checks unused
 * structs.
 */
export function readTypes(reading: Reading, types: unknown): ReadonlyMap<string, StructType> {
  if (!isObject(types)) refuse(reading, "Expected an object of struct types");
  const names = Object.keys(types);
  if (names.length > TYPED_DATA_LIMITS.types) {
    refuse(reading, `Too many types: at most ${TYPED_DATA_LIMITS.types}`);
  }
  const structs = new Map<string, Draft>();
  for (const name of names) structs.set(name, draft(reading, name));
  const known = new Map<string, ValueType>(structs);
  let fields = 0;
  for (const [name, struct] of structs) {
    reading.segments.push(name);
    fields += readFields(reading, types[name], struct, known, TYPED_DATA_LIMITS.fields - fields);
    reading.segments.pop();
  }
  return structs;
}

function draft(reading: Reading, name: string): Draft {
  const fault = nameFault(name, STRUCT_NAME);
  if (fault !== undefined) refuseAt(reading, name, `Invalid struct name: ${fault}`);
  if (RESERVED.test(name)) refuse(reading, `Reserved struct name ${quote(name)}: it is a type's`, name);
  return { kind: "struct", text: name, fields: [], fieldNames: [], references: new Set(), signature: "" };
}

function nameFault(name: string, form: RegExp): string | undefined {
  if (name.length > TYPED_DATA_LIMITS.name) return `longer than ${TYPED_DATA_LIMITS.name} characters`;
  return form.test(name) ? undefined : "not letters, digits, _ and $ with no digit first";
}

function readFields(
  reading: Reading,
  list: unknown,
  struct: Draft,
  known: Map<string, ValueType>,
  allowed: number,
): number {
  if (!Array.isArray(list)) refuse(reading, "Expected an array of fields");
  if (list.length > allowed) {
    refuse(reading, `Too many fields: at most ${TYPED_DATA_LIMITS.fields} in all types together`);
  }
  const fields = new Map<string, Field>();
  for (const [index, member] of list.entries()) {
    reading.segments.push(index);
    const field = readField(reading, member, known);
    if (fields.has(field.name)) refuse(reading, `Duplicate field ${quote(field.name)}`, "name");
    fields.set(field.name, field);
    const base = baseOf(field.type);
    if (base.kind === "struct") struct.references.add(base);
    reading.segments.pop();
  }
  struct.fields = [...fields.values()];
  struct.fieldNames = [...fields.keys()];
  struct.signature = signatureOf(struct);
  return list.length;
}

function readField(reading: Reading, field: unknown, known: Map<string, ValueType>): Field {
  if (!isObject(field)) refuse(reading, "Expected an object with name and type");
  checkMembers(reading, field, ["name", "type"]);
  const { name, type } = field;
  if (typeof name !== "string") refuse(reading, "Expected a string", "name");
  const fault = nameFault(name, NAME);
  if (fault !== undefined) refuse(reading, `Invalid field name: ${fault}`, "name");
  if (typeof type !== "string") refuse(reading, "Expected a string", "type");
  return { name, type: known.get(type) ?? readType(reading, type, known) };
}

/** Reads the text of a type and adds it and its base type to `known`. */
function readType(reading: Reading, text: string, known: Map<string, ValueType>): ValueType {
  if (text.length > TYPED_DATA_LIMITS.type) {
    refuse(reading, `Type too long: at most ${TYPED_DATA_LIMITS.type} characters`, "type");
  }
  const match = TYPE.exec(text);
  if (match === null) {
    refuse(reading, `Malformed type ${quote(text)}: expected a name, then [] or [n]`, "type");
  }
  const [, base, dimensions] = match;
  let type = known.get(base!) ?? atomicType(base!) ?? refuseType(reading, base!, known);
  for (const [dimension, digits] of dimensions!.matchAll(/\[(\d*)\]/g)) {
    const length = digits === "" ? undefined : Number(digits);
    type = { kind: "array", text: type.text + dimension, item: type, length };
  }
  known.set(text, type);
  return type;
}

function atomicType(base: string): AtomicType | undefined {
  switch (base) {
    case "address":
    case "bool":
    case "bytes":
    case "string":
      return { kind: base, text: base, size: 0 };
  }
  const [, family, digits] = /^(u?int|bytes)([1-9]\d{0,2})$/.exec(base) ?? [];
  const size = Number(digits);
  if (family === "bytes" && size <= 32) return { kind: "fixed-bytes", text: base, size };
  if ((family === "uint" || family === "int") && size <= 256 && size % 8 === 0) {
    return { kind: family, text: base, size };
  }
  return undefined;
}

function refuseType(reading: Reading, base: string, known: ReadonlyMap<string, ValueType>): never {
  const why = NOT_TYPES.find(([pattern]) => pattern.test(base))?.[1](base);
  const structs = [...known.values()].flatMap((type) => type.kind === "struct" ? [type.text] : []);
  const hint = why ?? didYouMean(base, [...structs, ...COMMON]);
  refuse(reading, `Unknown type ${quote(base)}${hint}`, "type");
}

function baseOf(type: ValueType): AtomicType | StructType {
  let base = type;
  while (base.kind === "array") base = base.item;
  return base;
}

function signatureOf(struct: Pick<StructType, "text" | "fields">): string {
  return `${struct.text}(${struct.fields.map((field) => `${field.type.text} ${field.name}`).join(",")})`;
}

/** Creates a struct from its fields. Does not check names and types. */
export function structOf(text: string, fields: readonly Field[]): StructType {
  const fieldNames = fields.map((field) => field.name);
  const signature = signatureOf({ text, fields });
  return { kind: "struct", text, fields, fieldNames, references: new Set(), signature };
}

/**
 * Returns the canonical text of a struct and those it uses, sorted by name (EIP-712, "Definition of encodeType").
 * Spends the steps for the text before writing it.
 */
export function encodeType(reading: Reading, struct: StructType): string {
  const found = new Set<StructType>([struct]);
  let length = 0;
  for (const one of found) {
    length += one.signature.length;
    for (const reference of one.references) found.add(reference);
  }
  spendSteps(reading, found.size);
  spendHash(reading, length);
  found.delete(struct);
  const others = [...found].sort((a, b) => a.text < b.text ? -1 : 1);
  return [struct, ...others].map((one) => one.signature).join("");
}
