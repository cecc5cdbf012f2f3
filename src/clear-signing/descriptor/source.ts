import type { AbiParameter, AbiType, PlainStruct } from "../abi.ts";
import { asObject } from "../../lib/object.ts";
import { DescriptorError, type Path, readPath, typeAt, valueBeside } from "./path.ts";
import type { Translate } from "./text.ts";
import { constantOf, isOneOf, type Value } from "./value.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The surroundings of a field that is read. */
export interface Reading {
  readonly parameters: readonly AbiParameter[];
  readonly descriptor: Json;
  readonly translate: Translate;
  /** The path of the group, before relative paths. */
  readonly prefix: string;
}

/** Signed data that a descriptor describes. */
export interface Described {
  readonly chainId: string;
  readonly contract: string;
  readonly parameters: readonly AbiParameter[];
  readonly struct: PlainStruct;
  /** `@.from`, `@.to`, `@.value` and `@.chainId`. */
  readonly container: PlainStruct;
}

/** The source of a parameter ("Field formats"): a constant, a path, or a constant by a key of the data ("maps"). */
export type Source =
  | { readonly constant: Value }
  | { readonly path: Path }
  | { readonly map: Json; readonly key: Path };

const ADDRESS: AbiType = { kind: "address", size: 0, text: "address" };
const UINT256: AbiType = { kind: "uint", size: 256, text: "uint256" };

/** The types of the transaction's values ("Container structure values"). */
export const CONTAINER: readonly AbiParameter[] = [
  { name: "from", type: ADDRESS },
  { name: "to", type: ADDRESS },
  { name: "value", type: UINT256 },
  { name: "chainId", type: UINT256 },
];

/** Returns a value of the descriptor by its path, such as `$.metadata.constants.max`. */
export function lookUp({ descriptor }: Pick<Reading, "descriptor">, path: string): unknown {
  if (!path.startsWith("$.")) return undefined;
  return path.slice(2).split(".").reduce<unknown>((value, key) => {
    const object = asObject(value);
    return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }, descriptor);
}

/** Returns the value, or what it references in the descriptor. */
export function dereference(reading: Reading, value: unknown): unknown {
  return typeof value === "string" && value.startsWith("$.") ? lookUp(reading, value) : value;
}

/** Returns a non-empty text. Throws DescriptorError for anything else. */
export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "" || value.length > 512 || !value.isWellFormed()) {
    throw new DescriptorError(`The ${what} of a field is not a text`);
  }
  return value;
}

/** Finds the path and its type. A path without a root is relative to the group. */
export function resolvePath(
  { parameters, prefix }: Reading,
  text: string,
): { readonly path: Path; readonly type: AbiType } {
  const path = readPath(joinPaths(prefix, text));
  if (path === undefined || path.root === "$") throw new DescriptorError(`The path ${text} is invalid`);
  const type = typeAt(path.root === "@" ? CONTAINER : parameters, path.steps);
  if (type === undefined) throw new DescriptorError(`The path ${text} leads to no value`);
  return { path, type };
}

export function joinPaths(prefix: string, path: string): string {
  return prefix === "" || /^[#@$]\./.test(path) ? path : `${prefix}.${path}`;
}

/** Reads a parameter that is `name` (a constant or a map) or `namePath`. Returns undefined if it has neither. */
export function readSource(reading: Reading, params: Json, name: string): Source | undefined {
  const [given, path] = [params[name], params[`${name}Path`]];
  if (given !== undefined && path !== undefined) {
    throw new DescriptorError(`There are ${name} and ${name}Path`);
  }
  if (path !== undefined) return readReference(reading, textOf(path, `${name}Path`));
  return given === undefined ? undefined : readConstant(reading, given, name);
}

/** Reads a path of a parameter. The registry also has a literal address, and a constant's path, in its place. */
export function readReference(reading: Reading, path: string): Source {
  return /^0x|^\$\./.test(path)
    ? readConstant(reading, path, "path")
    : { path: resolvePath(reading, path).path };
}

/** Reads a literal, a reference to a constant, or a map. */
function readConstant(reading: Reading, given: unknown, name: string): Source {
  const reference = asObject(given);
  if (reference !== undefined) {
    const map = asObject(asObject(lookUp(reading, textOf(reference.map, "map")))?.values);
    if (map === undefined) throw new DescriptorError(`The map of ${name} is missing`);
    return { map, key: resolvePath(reading, textOf(reference.keyPath, "keyPath")).path };
  }
  const constant = constantOf(dereference(reading, given));
  if (constant === undefined) throw new DescriptorError(`${name} is no constant`);
  return { constant };
}

/** The types of values that can be an address (`addressOf`). */
export const ADDRESS_TYPES: readonly AbiType["kind"][] = ["address", "uint", "fixed-bytes", "bytes"];

/** Like `readSource`, but requires an address, or a path to a value that can be one. */
export function readAddressSource(reading: Reading, params: Json, name: string): Source | undefined {
  const source = readSource(reading, params, name);
  if (source === undefined || "map" in source) return source;
  const isAddress = "constant" in source
    ? source.constant.type.kind === "address"
    : ADDRESS_TYPES.includes(leafOf(resolvePath(reading, params[`${name}Path`] as string).type).kind);
  if (!isAddress) throw new DescriptorError(`${name} is no address, or has a wrong checksum`);
  return source;
}

/** Returns the type of the values in an array, or the type itself. */
export function leafOf(type: AbiType): AbiType {
  return type.kind === "array" ? leafOf(type.item) : type;
}

/** Reads one address or a list, each literal or by reference. */
export function readAddresses(reading: Reading, value: unknown): readonly string[] {
  return value === undefined ? [] : [value].flat().map((one) => {
    const constant = constantOf(dereference(reading, one));
    if (constant?.type.kind !== "address") throw new DescriptorError("An address is invalid");
    return constant.value as string;
  });
}

/** Returns the value of a source for a field with these indexes. Undefined if it has none. */
export function valueOf(source: Source, described: Described, indexes: readonly number[]): Value | undefined {
  if ("constant" in source) return source.constant;
  const key = valueAtPath("path" in source ? source.path : source.key, described, indexes);
  if ("path" in source || key === undefined) return key;
  return constantOf(Object.entries(source.map).find(([name]) => isOneOf(key, [name]))?.[1]);
}

function valueAtPath(
  { root, steps }: Path,
  described: Described,
  indexes: readonly number[],
): Value | undefined {
  return root === "@"
    ? valueBeside(CONTAINER, described.container, steps, indexes)
    : valueBeside(described.parameters, described.struct, steps, indexes);
}
