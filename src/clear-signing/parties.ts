import { readable } from "../lib/readable-text.ts";
import type { Instant } from "../lib/time.ts";
import type { Party } from "./party.ts";
import { type Said, say, type TextCode } from "./format-message.ts";
import { findChain } from "./registry/chains.ts";
import { type Directory, findContract, findToken } from "./directory.ts";
import { type IntentField, type IntentWarning, WARNING_LEVELS, type WarningCode } from "./intent.ts";

/** Whose signature it is and what is known: all that an intent is made of beside the bytes. */
export interface IntentContext {
  /** The address of the key, with its checksum. */
  readonly signer: string;
  readonly now: Instant;
  /** The host of the site that asked for the signature; null where nobody but the owner did. */
  readonly askedBy: string | null;
  /** The labels of the owner's keys by their addresses. */
  readonly labels: ReadonlyMap<string, string>;
  readonly directory: Directory;
}

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** The largest value of an unsigned integer of so many bits. */
export function largest(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

/** More than any token in use has units, and what some tokens of 96 bits take for "without limit". */
const PRACTICALLY_UNLIMITED = largest(112);

/** Whether an allowance of so much is one without limit in effect. */
export function isUnlimited(amount: bigint): boolean {
  return amount >= PRACTICALLY_UNLIMITED || amount === largest(96);
}

/** The last second of the year 9999, in seconds since 1970. */
const LAST_DATE = 253_402_300_799n;

export function warning(code: WarningCode, text: Said): IntentWarning {
  return { level: WARNING_LEVELS[code], code, text };
}

/** Each warning once, in the order in which they came up. */
export function distinct(warnings: readonly IntentWarning[]): readonly IntentWarning[] {
  return [...new Map(warnings.map((one) => [JSON.stringify([one.code, one.text]), one])).values()];
}

/**
 * A text of somebody else's as it may stand between quotation marks: readable, and cut when it is long. Marks like ours
 * are replaced by their code points: a text could end its own quotation, and go on in our words.
 */
export function quotable(text: string): string {
  const characters = [...text];
  const shown = characters.length > 200 ? characters.slice(0, 200).join("") + "…" : text;
  return readable(shown).replace(/[“”„‟❝❞〝〞〟＂]/g, codePoint);
}

/** The same between them. */
export function quoted(text: string): Said {
  return say("quote", { text: quotable(text) });
}

function codePoint(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Whatever stands at an address, under what it is called here. */
export function partyAt(context: IntentContext, chainId: string | null, address: string): Party {
  if (address === context.signer) return { is: "this_key", address };
  const label = context.labels.get(address);
  if (label !== undefined) return { is: "own_key", address, label: quotable(label) };
  const token = findToken(context.directory, chainId, address);
  const name = token === undefined
    ? findContract(context.directory, chainId, address)?.name
    : readable(token.symbol);
  return name === undefined ? { is: "unnamed", address } : { is: "known", address, name };
}

/** The same by itself. */
export function addressWords(context: IntentContext, chainId: string | null, address: string): Said {
  return say("party", { party: partyAt(context, chainId, address) });
}

/** "Ethereum", or "chain 12345" where it is not known here. */
export function chainWords(chainId: string | null): Said {
  if (chainId === null) return say("anyChain");
  return findChain(chainId)?.name ?? say("chainById", { chainId });
}

/** An integer with the point so many digits from its end, without zeros that say nothing. */
export function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** An amount of an ERC-20. `without` is the value that stands for no limit, where there is one. */
export function tokenWords(
  { directory }: IntentContext,
  chainId: string | null,
  address: string,
  amount: bigint,
  without?: bigint,
): Said {
  const token = findToken(directory, chainId, address);
  const isLimited = amount !== without;
  if (token === undefined) {
    return isLimited
      ? say("units", { amount: amount.toString(), address })
      : say("unlimitedUnits", { address });
  }
  const symbol = readable(token.symbol);
  return isLimited ? `${decimal(amount, token.decimals)} ${symbol}` : say("unlimited", { symbol });
}

/** The same with "up to" before it, but for what has no limit. */
export function mostWords(
  context: IntentContext,
  chainId: string | null,
  address: string,
  amount: bigint,
  without: bigint,
): Said {
  const words = tokenWords(context, chainId, address, amount, without);
  return amount === without ? words : say("upTo", { amount: words });
}

/** An amount of the chain's own currency, in units of 10^18. */
export function nativeWords(chainId: string, amount: bigint): Said {
  const currency = findChain(chainId)?.currency;
  const count = decimal(amount, 18);
  return currency === undefined
    ? say("ofUnknownCurrency", { amount: count, chainId })
    : `${count} ${currency}`;
}

/** A time given in seconds since 1970. */
export function dateWords(seconds: bigint): Said {
  return seconds > LAST_DATE ? say("afterAllYears") : say("moment", { seconds: seconds.toString() });
}

/** Several things as one: "a, b and c". More than six are counted. */
export function listWords(parts: readonly Said[]): Said {
  const [only] = parts;
  if (parts.length < 2) return only ?? "";
  return parts.length > 6
    ? say("list", { parts: parts.slice(0, 5), more: parts.length - 5 })
    : say("list", { parts, more: 0 });
}

export function addressField(
  context: IntentContext,
  label: TextCode,
  chainId: string | null,
  address: string,
): IntentField {
  return {
    label: say(label),
    format: "address",
    value: addressWords(context, chainId, address),
    raw: address,
  };
}

export function amountField(label: TextCode, words: Said, amount: bigint): IntentField {
  return { label: say(label), format: "amount", value: words, raw: amount.toString() };
}

export function dateField(label: TextCode, seconds: bigint): IntentField {
  return { label: say(label), format: "date", value: dateWords(seconds), raw: seconds.toString() };
}

export function numberField(label: TextCode, value: string): IntentField {
  return { label: say(label), format: "number", value, raw: value };
}

export function textField(label: TextCode, text: string, value: Said = quoted(text)): IntentField {
  return { label: say(label), format: "text", value, raw: text };
}

/** Bytes by their count and, where they are few, themselves. */
export function bytesField(label: TextCode, hex: string): IntentField {
  const count = hex.length / 2 - 1;
  return { label: say(label), format: "bytes", value: count <= 32 ? hex : say("bytes", { count }), raw: hex };
}

export function chainField(chainId: string): IntentField {
  return { label: say("chain"), format: "chain", value: chainWords(chainId), raw: chainId };
}
