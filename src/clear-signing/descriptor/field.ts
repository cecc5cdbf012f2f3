import type { AbiParameter, AbiType } from "../abi.ts";
import { asObject } from "../../lib/object.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { DescriptorError, type Path, readPath, typeAt } from "./path.ts";
import { asWritten, type DescriptorText, type Translate, translateOwn } from "./text.ts";

type Json = Readonly<Record<string, unknown>>;

/** The source of an address: a path, or a literal address of the descriptor. */
export type AddressSource = Path | string;

/** The format of a value ("Field formats"). */
export type ValueFormat =
  | { readonly format: "raw" | "amount" | "date" | "duration" | "chainId" | "tokenTicker" }
  /** `sender` lists the addresses that mean the signer. */
  | { readonly format: "addressName"; readonly sender: readonly string[] }
  | {
    readonly format: "tokenAmount";
    readonly token: AddressSource | undefined;
    /** The addresses that mean the native currency. */
    readonly native: readonly string[];
    readonly threshold: bigint | undefined;
    readonly message: DescriptorText;
  }
  | { readonly format: "unit"; readonly base: string; readonly decimals: number }
  | { readonly format: "enum"; readonly names: Readonly<Record<string, DescriptorText>> }
  | { readonly format: "nftName"; readonly collection: AddressSource };

/** A field to show: a value of the data, or a text of the author. */
export type DescribedField = DescribedValue | DescribedConstant;

export interface DescribedConstant {
  readonly label: DescriptorText;
  readonly constant: DescriptorText;
}

export interface DescribedValue {
  readonly label: DescriptorText;
  readonly path: Path;
  readonly type: AbiType;
  readonly as: ValueFormat;
  readonly visible: "always" | "never" | { readonly ifNotIn: readonly string[] };
}

export interface FieldReading {
  readonly parameters: readonly AbiParameter[];
  readonly descriptor: Json;
  readonly translate: Translate;
}

/** The types of the transaction's values ("Container structure values"). */
const CONTAINER: readonly AbiParameter[] = [
  { name: "from", type: { kind: "address", size: 0, text: "address" } },
  { name: "to", type: { kind: "address", size: 0, text: "address" } },
  { name: "value", type: { kind: "uint", size: 256, text: "uint256" } },
  { name: "chainId", type: { kind: "uint", size: 256, text: "uint256" } },
];

const KNOWN_KEYS = ["path", "value", "label", "format", "params", "visible", "fields", "$id", "$ref"];

/** Reads the fields of a format and flattens groups. Throws DescriptorError for everything that is not supported. */
export function readFields(reading: FieldReading, list: unknown, prefix = ""): readonly DescribedField[] {
  if (!Array.isArray(list)) throw new DescriptorError("fields is not a list");
  return list.flatMap((entry) => readEntry(reading, entry, prefix));
}

function readEntry(reading: FieldReading, entry: unknown, prefix: string): readonly DescribedField[] {
  const given = asObject(entry);
  if (given === undefined) throw new DescriptorError("A field is not an object");
  const field = withDefinition(reading, given);
  const unknown = Object.keys(field).find((key) => !KNOWN_KEYS.includes(key));
  if (unknown !== undefined) throw new DescriptorError(`A field has ${unknown}, which is not supported`);
  if (field.fields !== undefined) {
    const path = field.path === undefined ? prefix : joined(prefix, text(field.path, "path"));
    return readFields(reading, field.fields, path);
  }
  if (field.value !== undefined) return [readConstant(reading, field)];
  const pathText = joined(prefix, text(field.path, "path"));
  const visible = readVisible(field.visible);
  const { path, type } = resolve(reading, pathText);
  // A hidden field needs no format, but must exist.
  const as: ValueFormat = visible === "never" ? { format: "raw" } : readFormat(reading, field, type);
  return [{
    label: field.label === undefined ? asWritten(pathText) : reading.translate(text(field.label, "label")),
    path,
    type,
    as,
    visible,
  }];
}

/** Reads a field that shows the same in every document. Its text is not signed. */
function readConstant(reading: FieldReading, field: Json): DescribedConstant {
  if (
    field.path !== undefined || readVisible(field.visible) !== "always" || (field.format ?? "raw") !== "raw"
  ) {
    throw new DescriptorError("A constant has more than words");
  }
  const { translate } = reading;
  return {
    label: translate(text(field.label, "label")),
    constant: translate(text(constant(reading, field.value), "value")),
  };
}

function joined(prefix: string, path: string): string {
  return prefix === "" || /^[#@$]\./.test(path) ? path : `${prefix}.${path}`;
}

function withDefinition({ descriptor }: FieldReading, field: Json): Json {
  if (field.$ref === undefined) return field;
  const definition = asObject(lookUp(descriptor, text(field.$ref, "$ref")));
  if (definition === undefined) throw new DescriptorError("A $ref leads to no definition");
  const params = { ...asObject(definition.params), ...asObject(field.params) };
  const { $ref: _, ...own } = field;
  return { ...definition, ...own, params };
}

export function lookUp(descriptor: Json, path: string): unknown {
  if (!path.startsWith("$.")) return undefined;
  return path.slice(2).split(".").reduce<unknown>((value, key) => {
    const object = asObject(value);
    return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }, descriptor);
}

function resolve({ parameters }: FieldReading, pathText: string): { path: Path; type: AbiType } {
  const path = readPath(pathText);
  if (path === undefined || path.root === "$") {
    throw new DescriptorError(`The path ${pathText} is not supported`);
  }
  const type = typeAt(path.root === "@" ? CONTAINER : parameters, path.steps);
  if (type === undefined || type.kind === "tuple") {
    throw new DescriptorError(`The path ${pathText} leads to no value`);
  }
  return { path, type };
}

function readVisible(value: unknown): DescribedValue["visible"] {
  if (value === undefined || value === "always" || value === "optional") return "always";
  if (value === "never") return "never";
  const ifNotIn = asObject(value)?.ifNotIn;
  if (!Array.isArray(ifNotIn) || Object.keys(value as object).length !== 1) {
    throw new DescriptorError("A rule of visible is not supported");
  }
  return { ifNotIn: ifNotIn.map(String) };
}

/** The types that each format accepts, for a value or for each item of a list. */
const TAKES: Readonly<Record<string, readonly AbiType["kind"][]>> = {
  raw: ["uint", "int", "address", "bool", "fixed-bytes", "bytes", "string"],
  amount: ["uint"],
  tokenAmount: ["uint"],
  nftName: ["uint"],
  date: ["uint"],
  duration: ["uint"],
  unit: ["uint", "int"],
  enum: ["uint", "int", "bool", "fixed-bytes"],
  chainId: ["uint"],
  addressName: ["address"],
  tokenTicker: ["address"],
};

/** The parameters that are supported, or have no visible effect. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  tokenAmount: ["token", "tokenPath", "nativeCurrencyAddress", "threshold", "message"],
  nftName: ["collection", "collectionPath"],
  date: ["encoding"],
  unit: ["base", "decimals", "prefix"],
  enum: ["$ref"],
  addressName: ["types", "sources", "senderAddress"],
};

function readFormat(reading: FieldReading, field: Json, type: AbiType): ValueFormat {
  const format = text(field.format ?? "raw", "format");
  const base = type.kind === "array" ? type.item : type;
  if (!Object.hasOwn(TAKES, format) || !TAKES[format]!.includes(base.kind)) {
    throw new DescriptorError(`The format ${format} of ${type.text || "a struct"} is not supported`);
  }
  const params = asObject(field.params ?? {}) ?? {};
  const unknown = Object.keys(params).find((name) => !(PARAMETERS[format] ?? []).includes(name));
  if (unknown !== undefined) throw new DescriptorError(`${format} has ${unknown}, which is not supported`);
  switch (format) {
    case "tokenAmount":
      return readTokenAmount(reading, params);
    case "nftName":
      return { format, collection: readSource(reading, params.collection, params.collectionPath) };
    case "addressName":
      return { format, sender: readAddresses(reading, params.senderAddress) };
    case "unit":
      return readUnit(params);
    case "enum":
      return { format, names: readNames(reading, params) };
    case "date":
      if (params.encoding !== "timestamp") throw new DescriptorError("A date is not a timestamp");
      return { format };
    default:
      return { format: format as "raw" };
  }
}

function readTokenAmount(reading: FieldReading, params: Json): ValueFormat {
  const hasToken = params.token !== undefined || params.tokenPath !== undefined;
  const threshold = params.threshold === undefined ? undefined : constant(reading, params.threshold);
  return {
    format: "tokenAmount",
    token: hasToken ? readSource(reading, params.token, params.tokenPath) : undefined,
    native: readAddresses(reading, params.nativeCurrencyAddress),
    threshold: threshold === undefined ? undefined : integer(threshold),
    message: params.message === undefined
      ? translateOwn("unlimited")
      : reading.translate(text(params.message, "message")),
  };
}

/** Reads one address or a list, each literal or by reference. */
function readAddresses(reading: FieldReading, value: unknown): readonly string[] {
  if (value === undefined) return [];
  return [value].flat().map((one) => address(constant(reading, one)));
}

function readSource(reading: FieldReading, value: unknown, path: unknown): AddressSource {
  if ((value === undefined) === (path === undefined)) {
    throw new DescriptorError("An address is missing, or is there twice");
  }
  if (value !== undefined) return address(constant(reading, value));
  const { path: found, type } = resolve(reading, text(path, "path"));
  if (type.kind !== "address") throw new DescriptorError(`${path} is not an address`);
  return found;
}

function readUnit({ base, decimals = 0, prefix = false }: Json): ValueFormat {
  if (prefix !== false || !Number.isInteger(decimals) || Number(decimals) < 0 || Number(decimals) > 77) {
    throw new DescriptorError("A unit is not supported");
  }
  return { format: "unit", base: text(base, "base"), decimals: Number(decimals) };
}

function readNames(
  { descriptor, translate }: FieldReading,
  { $ref }: Json,
): Readonly<Record<string, DescriptorText>> {
  const names = asObject(lookUp(descriptor, text($ref, "$ref")));
  if (names === undefined) throw new DescriptorError("An enum is missing");
  return Object.fromEntries(
    Object.entries(names).map(([value, name]) => [value, translate(text(name, "name of an enum"))]),
  );
}

/** Returns the value, or the constant of the descriptor that it references. */
function constant({ descriptor }: FieldReading, value: unknown): unknown {
  return typeof value === "string" && value.startsWith("$.") ? lookUp(descriptor, value) : value;
}

function text(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "" || value.length > 512 || !value.isWellFormed()) {
    throw new DescriptorError(`The ${what} of a field is not a text`);
  }
  return value;
}

function integer(value: unknown): bigint {
  if (typeof value === "string" && /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(value)) return BigInt(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new DescriptorError("A threshold is not a number");
}

function address(value: unknown): string {
  const bytes = typeof value === "string" ? readAddress(value) : undefined;
  if (bytes === undefined) throw new DescriptorError("An address is invalid, or has a wrong checksum");
  return toChecksumAddress(bytes);
}
