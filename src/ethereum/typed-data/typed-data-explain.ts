import { toHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../address.ts";
import { type AtomicType, type ValueType } from "./typed-data-types.ts";
import { type CheckedValue } from "./typed-data-values.ts";
import { type CheckedTypedData, hashTypedData } from "./typed-data.ts";

/** A value to show to a person. `name` is a member's name or an item's index. */
export type ExplainedValue =
  | { readonly name: string; readonly type: string; readonly value: string | boolean | null }
  | { readonly name: string; readonly type: string; readonly members: readonly ExplainedValue[] }
  | { readonly name: string; readonly type: string; readonly items: readonly ExplainedValue[] };

/** Typed data to sign, as plain JSON. Hashes are 0x-hex. */
export interface TypedDataExplanation {
  readonly primaryType: string;
  /** The canonical text of the primary type (EIP-712, "Definition of encodeType"). */
  readonly encodeType: string;
  readonly digest: string;
  readonly domainSeparator: string;
  /** Null if the primary type is EIP712Domain, which signs the domain alone. */
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
 * Decodes the values from the bytes that are hashed, never from the input. Integers are in decimal, addresses have
 * their checksum, bytes are 0x-hex, an absent struct is null. Does not escape texts.
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
