import { readable } from "../../lib/readable-text.ts";
import type { Instant } from "../../lib/time.ts";
import { DAY, toIso } from "../../lib/time.ts";
import { findChain } from "./chains.ts";
import { chainName, currencyOf, type Directory, findContract, findToken, isKnown } from "./directory.ts";
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

const LONG = BigInt(30 * DAY / 1000);
const VERY_LONG = BigInt(365 * DAY / 1000);

export function warning(code: WarningCode, text: string): IntentWarning {
  return { level: WARNING_LEVELS[code], code, text };
}

/** Each warning once, in the order in which they came up. */
export function distinct(warnings: readonly IntentWarning[]): readonly IntentWarning[] {
  return [...new Map(warnings.map((one) => [one.code + one.text, one])).values()];
}

/**
 * A text in quotation marks, readable and cut when it is long. Marks like ours are replaced by their code points: a text
 * could end its own quotation, and go on in our words.
 */
export function quoted(text: string): string {
  const characters = [...text];
  const shown = characters.length > 200 ? characters.slice(0, 200).join("") + "…" : text;
  return `“${readable(shown).replace(/[“”„‟❝❞〝〞〟＂]/g, codePoint)}”`;
}

function codePoint(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** An address, always whole, after whatever it is called here. */
export function addressWords(context: IntentContext, chainId: string | null, address: string): string {
  const name = nameOf(context, chainId, address);
  return name === undefined ? address : `${name} (${address})`;
}

function nameOf(context: IntentContext, chainId: string | null, address: string): string | undefined {
  if (address === context.signer) return "this key";
  const label = context.labels.get(address);
  if (label !== undefined) return `your key ${quoted(label)}`;
  const token = findToken(context.directory, chainId, address);
  if (token !== undefined) return readable(token.symbol);
  return findContract(context.directory, chainId, address)?.name;
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
): string {
  const token = findToken(directory, chainId, address);
  const count = amount === without ? "unlimited" : undefined;
  if (token === undefined) return `${count ?? amount} units of ${address} (decimals unknown)`;
  return `${count ?? decimal(amount, token.decimals)} ${readable(token.symbol)}`;
}

/** An amount of the chain's own currency, in units of 10^18. */
export function nativeWords(chainId: string, amount: bigint): string {
  return `${decimal(amount, 18)} ${currencyOf(chainId)}`;
}

/** A time given in seconds since 1970. */
export function dateWords(seconds: bigint): string {
  if (seconds > LAST_DATE) return "a time after the year 9999";
  return toIso(Number(seconds) * 1000).replace("T", " ").replace(".000Z", " UTC");
}

/** Several things as one: "a, b and c". More than six are counted. */
export function listWords(parts: readonly string[]): string {
  const shown = parts.length > 6 ? [...parts.slice(0, 5), `${parts.length - 5} more, listed below`] : parts;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Warnings about an end in seconds since 1970: what has passed, and what is far off. `what` begins a sentence. */
export function endWarnings({ now }: IntentContext, what: string, end: bigint): IntentWarning[] {
  const left = end - BigInt(Math.floor(now / 1000));
  if (left < 0n) return [warning("expired", `${what} has passed: ${dateWords(end)}`)];
  if (left > VERY_LONG) return [warning("far_future", `${what} is over a year away: ${dateWords(end)}`)];
  if (left > LONG) return [warning("long_deadline", `${what} is over 30 days away: ${dateWords(end)}`)];
  return [];
}

/** A warning about a beginning that is over a year away. */
export function startWarnings({ now }: IntentContext, what: string, start: bigint): IntentWarning[] {
  const wait = start - BigInt(Math.floor(now / 1000));
  return wait > VERY_LONG ? [warning("far_future", `${what} is over a year away: ${dateWords(start)}`)] : [];
}

export function chainWarnings(chainId: string): IntentWarning[] {
  return findChain(chainId) === undefined
    ? [warning("unknown_chain", `Chain ${chainId} is not among those known here`)]
    : [];
}

/** A warning about an address that is called or given power: it is nobody's here. `what` begins a sentence. */
export function addressWarnings(
  context: IntentContext,
  what: string,
  chainId: string | null,
  address: string,
): IntentWarning[] {
  const isOwn = address === context.signer || context.labels.has(address);
  return isOwn || isKnown(context.directory, chainId, address)
    ? []
    : [warning("unknown_contract", `${what} ${address} is not known here`)];
}

/** A warning where somebody else than the key is named as the one who gives. */
export function ownerWarnings({ signer }: IntentContext, what: string, address: string): IntentWarning[] {
  return address === signer
    ? []
    : [warning("not_this_key", `${what} ${address} is not this key (${signer})`)];
}

export function addressField(
  context: IntentContext,
  label: string,
  chainId: string | null,
  address: string,
): IntentField {
  return { label, format: "address", value: addressWords(context, chainId, address), raw: address };
}

export function amountField(label: string, words: string, amount: bigint): IntentField {
  return { label, format: "amount", value: words, raw: amount.toString() };
}

export function dateField(label: string, seconds: bigint): IntentField {
  return { label, format: "date", value: dateWords(seconds), raw: seconds.toString() };
}

export function numberField(label: string, value: string): IntentField {
  return { label, format: "number", value, raw: value };
}

export function textField(label: string, text: string): IntentField {
  return { label, format: "text", value: quoted(text), raw: text };
}

/** Bytes by their count and, where they are few, themselves. */
export function bytesField(label: string, hex: string): IntentField {
  const length = hex.length / 2 - 1;
  return { label, format: "bytes", value: length <= 32 ? hex : `${length} bytes`, raw: hex };
}

export function chainField(chainId: string): IntentField {
  return { label: "Chain", format: "chain", value: chainName(chainId), raw: chainId };
}
