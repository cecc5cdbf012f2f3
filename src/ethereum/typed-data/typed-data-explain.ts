import { toHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../address.ts";
import { type AtomicType, type ValueType } from "./typed-data-types.ts";
import { type CheckedValue } from "./typed-data-values.ts";
import { type CheckedTypedData, hashTypedData } from "./typed-data.ts";

/**
 * One value for a person to read, and what it holds. `name` is a member's name or an item's index. Exactly one of
 * `value`, `members` and `items` is there.
 */
export type ExplainedValue =
  | { readonly name: string; readonly type: string; readonly value: string | boolean | null }
  | { readonly name: string; readonly type: string; readonly members: readonly ExplainedValue[] }
  | { readonly name: string; readonly type: string; readonly items: readonly ExplainedValue[] };

/** What signing typed data would sign, as plain JSON; hashes are 0x-hex. */
export interface TypedDataExplanation {
  readonly primaryType: string;
  /** The canonical text of the primary type (EIP-712, "Definition of encodeType"). */
  readonly encodeType: string;
  readonly digest: string;
  readonly domainSeparator: string;
  /** Null when the primary type is EIP712Domain: then the domain alone is signed. */
  readonly structHash: string | null;
  readonly domain: ExplainedValue;
  readonly message: ExplainedValue | null;
}

type AtomicWriter = (bytes: Uint8Array, type: AtomicType) => string | boolean;

const WRITERS: Readonly<Record<AtomicType["kind"], AtomicWriter>> = {
  "uint": (word) => BigInt(toHex(word)).toString(),
  "int": (word) => BigInt.asIntN(256, BigInt(toHex(word))).toString(),
  "fixed-bytes": (word, type) => toHex(word.subarray(0, type.size)),
  "bool": (word) => word[31] === 1,
  "address": (word) => toChecksumAddress(word.subarray(12)),
  "bytes": (bytes) => toHex(bytes),
  "string": (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
};

/**
 * Says what signing the checked typed data would sign. The values are written from the bytes that are hashed, never
 * from the input: integers in decimal, addresses with checksum, bytes as 0x-hex, an absent struct as null. Members
 * stand in the order of their type. Texts are as signed: escape them for the place where they are shown.
 */
export function explainTypedData(checked: CheckedTypedData): TypedDataExplanation {
  const { digest, domainSeparator, structHash } = hashTypedData(checked);
  const { domain, message, typeTexts } = checked;
  return {
    primaryType: (message ?? domain).type.text,
    encodeType: typeTexts.get((message ?? domain).type)!,
    digest: toHex(digest),
    domainSeparator: toHex(domainSeparator),
    structHash: structHash === undefined ? null : toHex(structHash),
    domain: explain("domain", domain.type, domain.value),
    message: message === undefined ? null : explain("message", message.type, message.value),
  };
}

/** One atomic value as `explainTypedData` writes it, from its checked bytes. */
export function showAtom(bytes: Uint8Array, type: AtomicType): string | boolean {
  return WRITERS[type.kind](bytes, type);
}

function explain(name: string, type: ValueType, value: CheckedValue): ExplainedValue {
  const named = { name, type: type.text };
  if (value === null) return { ...named, value };
  if (value instanceof Uint8Array) {
    const atomic = type as AtomicType;
    return { ...named, value: showAtom(value, atomic) };
  }
  if (type.kind === "struct") {
    const members = type.fields.map((field, index) => explain(field.name, field.type, value[index]!));
    return { ...named, members };
  }
  const { item } = type as { readonly item: ValueType };
  return { ...named, items: value.map((one, index) => explain(String(index), item, one)) };
}
