import { readable } from "../../lib/readable-text.ts";
import { type Localizable, localizable } from "../format-message.ts";
import type { DescribedFormat, Template } from "./descriptor.ts";
import type { AddressSource, DescribedField, DescribedValue, ValueFormat } from "./field.ts";
import { type Found, type Path, valueBeside, valuesAt } from "./path.ts";
import { findToken } from "../directory.ts";
import { plainText } from "./text.ts";
import type { FieldFormat, IntentField, IntentWarning } from "../intent.ts";
import type { Plain, PlainStruct } from "../abi.ts";
import {
  addressText,
  chainText,
  dateText,
  decimal,
  type IntentContext,
  nativeText,
  partyAt,
  quoted,
  tokenText,
  warning,
} from "../parties.ts";

export interface Described {
  readonly chainId: string;
  readonly contract: string;
  readonly struct: PlainStruct;
  /** `@.from`, `@.to`, `@.value` and `@.chainId`. */
  readonly container: PlainStruct;
}

export interface DescribedTexts {
  readonly text: Localizable;
  readonly fields: readonly IntentField[];
  readonly warnings: readonly IntentWarning[];
}

/** Renders the descriptor. Returns undefined if a required value is missing. */
export function describe(
  { intent, template, fields }: DescribedFormat,
  described: Described,
  context: IntentContext,
): DescribedTexts | undefined {
  const written = fields.map((field) => writeField(field, described, context));
  const whole: WrittenField[] = [];
  for (const one of written) {
    if (one === undefined) return undefined;
    whole.push(one);
  }
  const shown = whole.flatMap(({ shown }) => shown);
  const filled = (parts: Template): Localizable =>
    localizable("joined", {
      parts: parts.map((part) => typeof part === "string" ? readable(part) : whole[part]!.text),
    });
  const text = template === undefined
    ? localizable("summary", {
      intent: plainText(intent),
      values: shown.map(({ label, value }) => localizable("labelled", { label, value })),
    })
    : localizable("each", { en: filled(template.en), de: filled(template.de) });
  return { text, fields: shown, warnings: whole.flatMap(({ warnings }) => warnings) };
}

interface WrittenField {
  readonly text: Localizable;
  readonly shown: readonly IntentField[];
  readonly warnings: readonly IntentWarning[];
}

function writeField(
  field: DescribedField,
  described: Described,
  context: IntentContext,
): WrittenField | undefined {
  if (!("constant" in field)) return writeFound(field, described, context);
  const text = plainText(field.constant);
  const shown = {
    label: plainText(field.label),
    format: "text" as const,
    value: text,
    raw: field.constant.en,
  };
  return { text, shown: [shown], warnings: [] };
}

function writeFound(
  { label, path, type, as, visible }: DescribedValue,
  described: Described,
  context: IntentContext,
): WrittenField | undefined {
  const found = valuesAt(path.root === "@" ? described.container : described.struct, path.steps);
  // No value means that an array is too short, unless the path goes through all items.
  if (found.length === 0 && !path.steps.includes("[]")) return undefined;
  const items = found.flatMap(({ value, indexes }): readonly Found[] =>
    type.kind === "array"
      ? (value as readonly Plain[]).map((item, index) => ({ value: item, indexes: [...indexes, index] }))
      : [{ value, indexes }]
  );
  const kind = type.kind === "array" ? type.item.kind : type.kind;
  const written: { text: Localizable; raw: string; isUnlimited: boolean }[] = [];
  for (const item of items) {
    const text = writeValue(kind, as, item, described, context);
    if (text === undefined) return undefined;
    const isUnlimited = as.format === "tokenAmount" && as.threshold !== undefined &&
      BigInt(item.value as string) >= as.threshold && /^unlimited/i.test(as.message.en);
    written.push({ text, raw: String(item.value), isUnlimited });
  }
  const isShown = visible === "always" ||
    (visible !== "never" && !written.every(({ raw }) => visible.ifNotIn.includes(raw)));
  return {
    text: written.length === 0
      ? localizable("nothing")
      : localizable("several", { parts: written.map(({ text }) => text) }),
    shown: isShown
      ? written.map(({ text, raw }) => ({
        label: plainText(label),
        format: FORMATS[as.format],
        value: text,
        raw,
      }))
      : [],
    warnings: written.filter(({ isUnlimited }) => isUnlimited).map(({ text }) =>
      warning("unlimited_allowance", localizable("labelled", { label: plainText(label), value: text }))
    ),
  };
}

const FORMATS: Readonly<Record<ValueFormat["format"], FieldFormat>> = {
  raw: "text",
  amount: "amount",
  tokenAmount: "amount",
  nftName: "number",
  date: "date",
  duration: "number",
  unit: "number",
  enum: "text",
  chainId: "chain",
  addressName: "address",
  tokenTicker: "address",
};

function writeValue(
  kind: string,
  as: ValueFormat,
  { value, indexes }: Found,
  described: Described,
  context: IntentContext,
): Localizable | undefined {
  const { chainId } = described;
  const text = String(value);
  switch (as.format) {
    case "amount":
      return nativeText(chainId, BigInt(text));
    case "date":
      return dateText(BigInt(text));
    case "duration":
      return durationText(BigInt(text));
    case "unit":
      return `${BigInt(text) < 0n ? "-" : ""}${decimal(absolute(BigInt(text)), as.decimals)} ${
        readable(as.base)
      }`;
    case "enum":
      return Object.hasOwn(as.names, text) ? plainText(as.names[text]!) : text;
    case "chainId":
      return chainText(text);
    case "addressName":
      return addressText(
        context,
        chainId,
        as.sender.includes(text) ? String(described.container.from) : text,
      );
    case "tokenTicker":
      return addressText(context, chainId, text);
    case "nftName": {
      const collection = addressOf(as.collection, indexes, described);
      return collection &&
        localizable("itemOf", { id: text, collection: partyAt(context, chainId, collection) });
    }
    case "tokenAmount":
      return tokenAmountText(as, BigInt(text), indexes, described, context);
    default:
      return kind === "string"
        ? quoted(text)
        : kind === "address"
        ? addressText(context, chainId, text)
        : text;
  }
}

function tokenAmountText(
  as: Extract<ValueFormat, { format: "tokenAmount" }>,
  amount: bigint,
  indexes: readonly number[],
  described: Described,
  context: IntentContext,
): Localizable | undefined {
  if (as.token === undefined) return localizable("unitsOfUnknownToken", { amount: amount.toString() });
  const { chainId } = described;
  const token = addressOf(as.token, indexes, described);
  if (token === undefined) return undefined;
  const isUnlimited = as.threshold !== undefined && amount >= as.threshold;
  if (as.native.includes(token)) return nativeText(chainId, amount);
  if (!isUnlimited) return tokenText(context, chainId, token, amount);
  const symbol = findToken(context.directory, chainId, token)?.symbol;
  const message = plainText(as.message);
  return symbol === undefined
    ? localizable("mostOfUnknown", { message, address: token })
    : localizable("mostOf", { message, symbol: readable(symbol) });
}

function addressOf(
  source: AddressSource,
  indexes: readonly number[],
  { struct, container }: Described,
): string | undefined {
  if (typeof source === "string") return source;
  const { root, steps }: Path = source;
  return valueBeside(root === "@" ? container : struct, steps, indexes) as string | undefined;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Formats seconds as `HH:MM:SS`. */
function durationText(seconds: bigint): string {
  const two = (value: bigint): string => value.toString().padStart(2, "0");
  return `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}`;
}
