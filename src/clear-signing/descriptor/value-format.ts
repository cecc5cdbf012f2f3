import { asObject } from "../../lib/object.ts";
import type { AbiType } from "../abi.ts";
import type { FieldFormat } from "../intent.ts";
import { DescriptorError } from "./path.ts";
import {
  ADDRESS_TYPES,
  dereference,
  type Json,
  readAddresses,
  readAddressSource,
  type Reading,
  readSource,
  type Source,
  textOf,
} from "./source.ts";
import { type DescriptorText, translateOwn } from "./text.ts";
import { integerOf } from "./value.ts";

const NUMBERS = ["uint", "int", "fixed-bytes", "bytes"] as const;
const ANY = ["uint", "int", "address", "bool", "fixed-bytes", "bytes", "string"] as const;

interface Format {
  readonly shown: FieldFormat;
  /** The types of values, and of the items of arrays. */
  readonly takes: readonly AbiType["kind"][];
  /** Parameters that are an address, each as a constant, a map or a path. */
  readonly addresses?: readonly string[];
  /** Parameters that are another value. */
  readonly values?: readonly string[];
  /** The one of them without which the format has no meaning. */
  readonly required?: string;
  /** Other parameters. */
  readonly others?: readonly string[];
}

/** The formats of values ("Field formats"). */
const FORMATS = {
  raw: { shown: "text", takes: ANY },
  amount: { shown: "amount", takes: NUMBERS },
  tokenAmount: {
    shown: "amount",
    takes: NUMBERS,
    addresses: ["token"],
    values: ["threshold", "chainId"],
    others: ["nativeCurrencyAddress", "message"],
  },
  nftName: { shown: "number", takes: NUMBERS, addresses: ["collection"], required: "collection" },
  date: { shown: "date", takes: NUMBERS, others: ["encoding"] },
  duration: { shown: "number", takes: NUMBERS },
  unit: { shown: "number", takes: NUMBERS, others: ["base", "decimals", "prefix"] },
  enum: { shown: "text", takes: ANY, others: ["$ref"] },
  chainId: { shown: "chain", takes: NUMBERS },
  addressName: { shown: "address", takes: ADDRESS_TYPES, others: ["types", "sources", "senderAddress"] },
  tokenTicker: { shown: "address", takes: ADDRESS_TYPES, values: ["chainId"] },
  interoperableAddressName: {
    shown: "address",
    takes: ["bytes"],
    others: ["types", "sources", "senderAddress"],
  },
  calldata: {
    shown: "bytes",
    takes: ["bytes"],
    addresses: ["callee", "spender"],
    values: ["selector", "chainId", "amount"],
    required: "callee",
  },
} as const satisfies Readonly<Record<string, Format>>;

/** The names of the standard, and three of the service: an author's text, encrypted bytes, and a hidden value. */
export type FormatName = keyof typeof FORMATS | "text" | "encrypted" | "hidden";

/** A format with its parameters. */
export interface ValueFormat {
  readonly format: FormatName;
  readonly shown: FieldFormat;
  readonly sources: Readonly<Partial<Record<string, Source>>>;
  /** The addresses that mean the native currency, or the signer. */
  readonly special: readonly string[];
  /** A message, a symbol or a label. */
  readonly text: DescriptorText;
  /** The names of an enum. */
  readonly names: readonly (readonly [value: string, name: DescriptorText])[];
  readonly decimals: number;
  /** True for a unit with an SI prefix, and for a date that is the number of a block. */
  readonly isPrefixed: boolean;
  readonly isBlock: boolean;
}

/** Returns true for a number of decimals: a 256-bit number has at most 77 after its first digit. */
export function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 77;
}

/** Returns a format without parameters. */
export function plainFormat(
  format: FormatName,
  text: DescriptorText = translateOwn("unlimited"),
): ValueFormat {
  return {
    format,
    shown: "text",
    sources: {},
    special: [],
    text,
    names: [],
    decimals: 0,
    isPrefixed: false,
    isBlock: false,
  };
}

/** Reads a format and its parameters. Throws DescriptorError for a format or a parameter that the standard lacks. */
export function readFormat(
  reading: Reading,
  { format, type }: { readonly format: string; readonly type: AbiType },
  params: Json,
): ValueFormat {
  const found: Format | undefined = Object.hasOwn(FORMATS, format)
    ? FORMATS[format as keyof typeof FORMATS]
    : undefined;
  if (!found?.takes.includes(type.kind)) {
    throw new DescriptorError(
      `There is no format ${format} of ${type.kind === "tuple" ? "a struct" : type.text}`,
    );
  }
  const { addresses = [], values = [], others = [], required } = found;
  const sources = Object.fromEntries([
    ...addresses.map((name) => [name, readAddressSource(reading, params, name)] as const),
    ...values.map((name) => [name, readNumberSource(reading, params, name)] as const),
  ].filter(([, source]) => source !== undefined));
  const known = [...addresses, ...values].flatMap((name) => [name, `${name}Path`]);
  const unknown = Object.keys(params).find((name) => !known.includes(name) && !others.includes(name));
  if (unknown !== undefined) throw new DescriptorError(`${format} has no parameter ${unknown}`);
  if (required !== undefined && sources[required] === undefined) {
    throw new DescriptorError(`${format} has no ${required}`);
  }
  const { encoding, decimals = 0, prefix = false } = params;
  if (format === "date" && encoding !== "timestamp" && encoding !== "blockheight") {
    throw new DescriptorError("A date has no encoding");
  }
  if (!isDecimals(decimals)) {
    throw new DescriptorError("The decimals of a unit are not 0 to 77");
  }
  if (typeof prefix !== "boolean") throw new DescriptorError("The prefix of a unit is not true or false");
  return {
    ...plainFormat(format as FormatName, readText(reading, format, params)),
    shown: found.shown,
    sources,
    special: readAddresses(reading, params.nativeCurrencyAddress ?? params.senderAddress),
    names: format === "enum" ? readNames(reading, params.$ref) : [],
    decimals,
    isPrefixed: prefix,
    isBlock: encoding === "blockheight",
  };
}

/** Reads a parameter that is a number, or the bytes of a selector. */
function readNumberSource(reading: Reading, params: Json, name: string): Source | undefined {
  const source = readSource(reading, params, name);
  if (source !== undefined && "constant" in source && integerOf(source.constant) === undefined) {
    throw new DescriptorError(`${name} is no number`);
  }
  return source;
}

function readText(reading: Reading, format: string, { base, message }: Json): DescriptorText | undefined {
  const given = format === "unit" ? base : message;
  // It stands in place of an amount.
  if (typeof message === "string" && /\p{N}/u.test(message)) {
    throw new DescriptorError("message has a number");
  }
  return given === undefined && format !== "unit"
    ? undefined
    : reading.translate(textOf(dereference(reading, given), "text"));
}

function readNames(reading: Reading, $ref: unknown): ValueFormat["names"] {
  const names = asObject(dereference(reading, textOf($ref, "$ref")));
  if (names === undefined) throw new DescriptorError("An enum is missing");
  return Object.entries(names).map(([value, name]) =>
    [value, reading.translate(textOf(name, "name of an enum"))] as const
  );
}
