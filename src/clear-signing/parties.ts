import { readable } from "../lib/readable-text.ts";
import type { Instant } from "../lib/time.ts";
import type { Party } from "./party.ts";
import { type Localizable, localizable, type TextCode } from "./format-message.ts";
import { findChain } from "./registry/chains.ts";
import { type Directory, findContract, findToken } from "./directory.ts";
import {
  type AssetAmount,
  type IntentField,
  type IntentWarning,
  WARNING_LEVELS,
  type WarningCode,
  type WarningLevel,
} from "./intent.ts";

/** The context of an intent: everything that it depends on except the bytes. */
export interface IntentContext {
  /** The key's address with its checksum. */
  readonly signer: string;
  readonly now: Instant;
  /** The host of the site that requested the signature; null if the owner did. */
  readonly askedBy: string | null;
  /** The labels of the owner's keys by address. An intent asks for the same addresses, whatever the labels are. */
  readonly labels: Pick<ReadonlyMap<string, string>, "get">;
  readonly directory: Directory;
  /** An account that the key signs for (ERC-7739), if it is not the key's own. */
  readonly account?: string;
}

/** Returns the account that the signature is for. */
export function holderOf({ signer, account }: IntentContext): string {
  return account ?? signer;
}

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** Returns the largest unsigned integer of that many bits. */
export function largest(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

/** More units than any token in use has. Some tokens use 96 bits of ones for "without limit". */
const PRACTICALLY_UNLIMITED = largest(112);

/** Returns true if an allowance of this amount is effectively unlimited. */
export function isUnlimited(amount: bigint): boolean {
  return amount >= PRACTICALLY_UNLIMITED || amount === largest(96);
}

/** The last second of the year 9999, in seconds since 1970. */
const LAST_DATE = 253_402_300_799n;

export function warning(
  code: WarningCode,
  text: Localizable,
  level: WarningLevel = WARNING_LEVELS[code],
): IntentWarning {
  return { level, code, text };
}

/** Returns each warning once, the red ones first. Warnings of one code about one time are one. */
export function distinct(warnings: readonly IntentWarning[]): readonly IntentWarning[] {
  const firsts = new Map<string, IntentWarning>();
  for (const one of warnings) {
    const key = JSON.stringify([one.code, one.level, timeIn(one.text) ?? one.text]);
    if (!firsts.has(key)) firsts.set(key, one);
  }
  const once = [...firsts.values()];
  return ["red", "amber"].flatMap((level) => once.filter((one) => one.level === level));
}

function timeIn(text: Localizable): unknown {
  return typeof text === "string" ? undefined : text.given["at"];
}

/** Formats a foreign text readably, cut after 200 characters, without quotation marks that could end its quotation. */
export function quotable(text: string): string {
  // A character has at most two code units.
  const characters = [...text.slice(0, 402)];
  const shown = characters.length > 200 ? characters.slice(0, 200).join("") + "…" : text;
  return readable(shown).replace(/[“”„‟❝❞〝〞〟＂]/g, codePoint);
}

export function quoted(text: string): Localizable {
  return localizable("quote", { text: quotable(text) });
}

function codePoint(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
}

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

export function addressText(context: IntentContext, chainId: string | null, address: string): Localizable {
  return localizable("party", { party: partyAt(context, chainId, address) });
}

/** Returns the name of a chain, or "chain 12345" if it is unknown. */
export function chainText(chainId: string | null): Localizable {
  if (chainId === null) return localizable("anyChain");
  return findChain(chainId)?.name ?? localizable("chainById", { chainId });
}

/** Formats an integer with a decimal point, without trailing zeros. */
export function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Formats an amount of an ERC-20. `without` is the value that means no limit, if any. */
export function tokenText(
  { directory }: IntentContext,
  chainId: string | null,
  address: string,
  amount: bigint,
  without?: bigint,
): Localizable {
  const token = findToken(directory, chainId, address);
  const isLimited = amount !== without;
  if (token === undefined) {
    return isLimited
      ? localizable("units", { amount: amount.toString(), address })
      : localizable("unlimitedUnits", { address });
  }
  const symbol = readable(token.symbol);
  return isLimited ? `${decimal(amount, token.decimals)} ${symbol}` : localizable("unlimited", { symbol });
}

/** Adds "up to" unless the amount means no limit. */
export function mostText(
  context: IntentContext,
  chainId: string | null,
  address: string,
  amount: bigint,
  without: bigint,
): Localizable {
  const text = tokenText(context, chainId, address, amount, without);
  return amount === without ? text : localizable("upTo", { amount: text });
}

/** Formats an amount of the native currency, in units of 10^18. */
export function nativeText(chainId: string, amount: bigint): Localizable {
  const currency = findChain(chainId)?.currency;
  const count = decimal(amount, 18);
  return currency === undefined
    ? localizable("ofUnknownCurrency", { amount: count, chainId })
    : `${count} ${currency}`;
}

export function dateText(seconds: bigint): Localizable {
  return seconds > LAST_DATE
    ? localizable("afterAllYears")
    : localizable("dateTime", { seconds: seconds.toString() });
}

/** Formats a list: "a, b and c". Counts items after the fifth if there are more than six. */
export function listText(parts: readonly Localizable[]): Localizable {
  const [only] = parts;
  if (parts.length < 2) return only ?? "";
  return parts.length > 6
    ? localizable("list", { parts: parts.slice(0, 5), more: parts.length - 5 })
    : localizable("list", { parts, more: 0 });
}

export function addressField(
  context: IntentContext,
  label: TextCode,
  chainId: string | null,
  address: string,
): IntentField {
  return {
    label: localizable(label),
    format: "address",
    value: addressText(context, chainId, address),
    raw: address,
  };
}

export function amountField(label: TextCode, text: Localizable, amount: bigint): IntentField {
  return { label: localizable(label), format: "amount", value: text, raw: amount.toString() };
}

export function dateField(label: TextCode, seconds: bigint): IntentField {
  return { label: localizable(label), format: "date", value: dateText(seconds), raw: seconds.toString() };
}

export function numberField(label: TextCode, value: string): IntentField {
  return { label: localizable(label), format: "number", value, raw: value };
}

export function textField(label: TextCode, text: string, value: Localizable = quoted(text)): IntentField {
  return { label: localizable(label), format: "text", value, raw: text };
}

/** Shows up to 32 bytes, and otherwise their count. */
export function bytesField(label: TextCode, hex: string): IntentField {
  const count = hex.length / 2 - 1;
  return {
    label: localizable(label),
    format: "bytes",
    value: count <= 32 ? hex : localizable("bytes", { count }),
    raw: hex,
  };
}

export function chainField(chainId: string): IntentField {
  return { label: localizable("chain"), format: "chain", value: chainText(chainId), raw: chainId };
}

/** Returns true for less than 10^-4 of a token, or 1,000 units if the decimals are unknown. False for items. */
export function isDust(
  { directory }: IntentContext,
  chainId: string,
  { standard, address, amount }: AssetAmount,
): boolean {
  if (standard === "erc721" || standard === "erc1155") return false;
  const decimals = address === null ? 18 : findToken(directory, chainId, address)?.decimals;
  const enough = decimals === undefined ? 1_000n : 10n ** BigInt(Math.max(0, decimals - 4));
  return BigInt(amount) < enough;
}
