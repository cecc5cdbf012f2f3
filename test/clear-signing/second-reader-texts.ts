import assert from "node:assert/strict";
import defaultTokens from "@uniswap/default-token-list" with { type: "json" };
import { getAddress as checksumAddress } from "ethers";
import { SIGNER } from "./documents.ts";

/** Comparisons of texts with values, shared by the second readers. */

const NAMES: Readonly<Record<string, string>> = {
  "1": "Ethereum",
  "8453": "Base",
  "42161": "Arbitrum One",
  "10": "OP Mainnet",
  "137": "Polygon",
};

export type Json = Readonly<Record<string, unknown>>;

/** A cache of addresses. Most mutants have those of their original. */
const ADDRESSES = new Map<string, string>();

export function getAddress(text: string): string {
  const address = ADDRESSES.get(text) ?? checksumAddress(text);
  ADDRESSES.set(text, address);
  return address;
}

const TOKENS = new Map(
  defaultTokens.tokens.map((one) => [`${one.chainId}:${one.address.toLowerCase()}`, one]),
);

/** Returns the only address in a part of a sentence. */
export function addressIn(text: string): string {
  const found = text.match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g) ?? [];
  assert.equal(found.length, 1, `One address in: ${text}`);
  return getAddress(found[0]);
}

export function sameAddress(text: string, value: unknown): void {
  const address = getAddress(String(value));
  assert.equal(addressIn(text), address, text);
  assert.equal(/^this key\b/.test(text), address === SIGNER, text);
}

/** Returns the units of a text such as "5 USDC" or "7 units of 0x…", or undefined for "unlimited". */
export function unitsIn(words: string, chainId: unknown, token: unknown): bigint | undefined {
  const address = getAddress(String(token));
  const unknown = /^(\d+|unlimited) units of (0x[0-9a-fA-F]{40}) \(decimals unknown\)$/.exec(words);
  const known = TOKENS.get(`${BigInt(String(chainId))}:${address.toLowerCase()}`);
  if (unknown !== null) {
    assert.equal(unknown[2], address, words);
    return unknown[1] === "unlimited" ? undefined : BigInt(unknown[1]!);
  }
  const [, count, symbol] = /^([\d.]+|unlimited) (\S+)$/.exec(words) ?? [];
  assert.ok(known !== undefined && count !== undefined, `An amount of ${address}: ${words}`);
  assert.equal(symbol, known.symbol);
  return count === "unlimited" ? undefined : unitsOf(count, known.decimals);
}

export function sameAmount(
  words: string,
  chainId: unknown,
  token: unknown,
  value: unknown,
  most?: bigint,
): void {
  const [, limit, rest] = /^(up to )?(.*)$/.exec(words)!;
  const units = unitsIn(rest!, chainId, token);
  assert.equal(units ?? most, BigInt(String(value)), words);
  if (units === undefined) assert.ok(most !== undefined && limit === undefined, words);
}

/** Parses an amount like `parseUnits`, which overflows at products of two numbers. */
function unitsOf(count: string, decimals: number): bigint {
  const [whole, fraction = ""] = count.split(".");
  assert.ok(fraction.length <= decimals, count);
  return BigInt(whole! + fraction.padEnd(decimals, "0"));
}

export function sameNative(words: string, value: unknown): void {
  const [, count] = /^([\d.]+) (?:ETH|POL|BNB|CELO|AVAX|XDAI|of the currency of chain \d+)$/.exec(words) ??
    [];
  assert.ok(count !== undefined, words);
  assert.equal(unitsOf(count, 18), BigInt(String(value)), words);
}

export function sameDate(words: string, value: unknown): void {
  const seconds = BigInt(String(value));
  if (words === "a time after the year 9999") {
    assert.ok(seconds >= 253_402_300_800n, `${seconds}`);
    return;
  }
  assert.match(words, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  assert.equal(Date.parse(words.replace(" UTC", "Z").replace(" ", "T")), Number(seconds) * 1000, words);
}

export function sameChain(words: string, chainId: unknown): void {
  const chain = BigInt(String(chainId)).toString();
  const isKnown = Object.values(NAMES).includes(words);
  assert.equal(words, isKnown ? NAMES[chain] : words.startsWith("chain ") ? `chain ${chain}` : words);
  if (NAMES[chain] !== undefined) assert.equal(words, NAMES[chain]);
}

/** Splits a sentence that must have exactly this form. */
export function pieces(sentence: string, form: RegExp): readonly string[] {
  const found = form.exec(sentence);
  assert.ok(found !== null, `Not in its form: ${sentence}`);
  return found.slice(1).map((piece) => piece ?? "");
}

export const MOST_256 = (1n << 256n) - 1n;
export const MOST_160 = (1n << 160n) - 1n;

/** Splits a list of up to six parts, or the first five of a longer one. */
export function partsOf(list: string, mark: RegExp, count: number): readonly string[] {
  const more = /^(.*) and (\d+) more, listed below$/.exec(list);
  if (more !== null) assert.equal(Number(more[2]), count - 5);
  const said = more?.[1] ?? list;
  const parts: string[] = [];
  // Names of tokens have no commas and no "and" between blanks.
  for (const part of said.split(/, | and (?=up to |unlimited |\d|item |any item|one of certain)/)) {
    if (parts.length > 0 && !mark.test(parts.at(-1)!)) parts.push(`${parts.pop()} and ${part}`);
    else parts.push(part);
  }
  assert.equal(parts.length, more === null ? count : 5, list);
  return parts;
}
