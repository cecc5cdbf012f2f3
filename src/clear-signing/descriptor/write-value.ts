import { toChecksumAddress } from "../../ethereum/address.ts";
import { concat, fromHex, toHex } from "../../lib/bytes.ts";
import type { Call, CallContext, Inner } from "../call.ts";
import { findToken } from "../directory.ts";
import { type Localizable, localizable } from "../format-message.ts";
import {
  addressText,
  chainText,
  dateText,
  decimal,
  nativeText,
  partyAt,
  quoted,
  tokenText,
} from "../parties.ts";
import { findChain } from "../registry/chains.ts";
import { readable } from "../../lib/readable-text.ts";
import { type Described, valueOf } from "./source.ts";
import { plainText } from "./text.ts";
import { addressOf, bytesOf, integerOf, isOneOf, type Value } from "./value.ts";
import type { FormatName, ValueFormat } from "./value-format.ts";

/** The surroundings of a value. */
export interface Place {
  readonly described: Described;
  readonly context: CallContext;
  /** The index taken at each array of the field's path. */
  readonly indexes: readonly number[];
}

export interface Written {
  readonly text: Localizable;
  /** True for an amount at which the author says that it has no limit. */
  readonly isUnlimited?: boolean;
  /** The call that a value contains. */
  readonly inner?: Inner;
}

type Writer = (value: Value, as: ValueFormat, place: Place) => Written | Localizable | undefined;

/** Writes values. Returns undefined for a value of another form, and if a value that a parameter names is missing. */
const WRITERS: Readonly<Record<FormatName, Writer>> = {
  raw: rawText,
  amount: naturals((amount, _, { described }) => nativeText(described.chainId, amount)),
  tokenAmount: writeTokenAmount,
  nftName: integers((id, { sources }, place) => {
    const collection = addressFrom(sources.collection, place);
    return collection &&
      localizable("itemOf", {
        id: id.toString(),
        collection: partyAt(place.context, place.described.chainId, collection),
      });
  }),
  // The time of a block to come is not known, and the service asks no chain.
  date: naturals((value, { isBlock }) =>
    isBlock ? localizable("blockHeight", { height: value.toString() }) : dateText(value)
  ),
  duration: naturals(durationText),
  unit: integers(unitText),
  enum: (value, { names }, place) => {
    const name = names.find(([one]) => isOneOf(value, [one]))?.[1];
    return name === undefined ? rawText(value, undefined, place) : plainText(name);
  },
  chainId: integers((chainId) => chainText(chainId.toString())),
  addressName: (value, { special }, place) => {
    const address = addressOf(value);
    // Bytes that are no address of Ethereum are shown whole.
    return address === undefined
      ? rawText(value, undefined, place)
      : addressText(place.context, place.described.chainId, senderOr(address, special, place));
  },
  tokenTicker: (value, { sources }, place) => {
    const [address, chainId] = [addressOf(value), chainFrom(sources.chainId, place)];
    return address && chainId && addressText(place.context, chainId, address);
  },
  interoperableAddressName: writeInteroperableAddress,
  calldata: writeCalldata,
  text: (_, { text }) => plainText(text),
  // The service has no key for it ("encryption").
  encrypted: ({ value }, { text }) =>
    localizable("labelled", { label: plainText(text), value: String(value) }),
  hidden: () => "",
};

/** Formats a value. Returns undefined if it cannot be said. */
export function writeValue(value: Value, as: ValueFormat, place: Place): Written | undefined {
  const written = WRITERS[as.format](value, as, place);
  return written === undefined || (typeof written === "object" && "text" in written)
    ? written
    : { text: written };
}

function integers(
  write: (value: bigint, as: ValueFormat, place: Place) => Localizable | undefined,
): Writer {
  return (value, as, place) => {
    const integer = integerOf(value);
    return integer === undefined ? undefined : write(integer, as, place);
  };
}

/** Like `integers`, for what is never negative. */
function naturals(
  write: (value: bigint, as: ValueFormat, place: Place) => Localizable | undefined,
): Writer {
  return integers((value, as, place) => value < 0n ? undefined : write(value, as, place));
}

type Sourced = ValueFormat["sources"][string];

function addressFrom(source: Sourced, { described, indexes }: Place): string | undefined {
  const value = source && valueOf(source, described, indexes);
  return value && addressOf(value);
}

function integerFrom(source: Sourced, { described, indexes }: Place): bigint | undefined {
  const value = source && valueOf(source, described, indexes);
  return value && integerOf(value);
}

/** Returns the chain that a parameter names, or that of the document. */
function chainFrom(source: Sourced, place: Place): string | undefined {
  return source === undefined ? place.described.chainId : integerFrom(source, place)?.toString();
}

/** No account has an address up to this one, so it can stand for something. */
const LAST_PLACEHOLDER = 0xffffn;
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** Returns the sender for a placeholder that means the sender. An author cannot make another account the sender. */
function senderOr(address: string, special: readonly string[], { described }: Place): string {
  const isPlaceholder = address === NATIVE || BigInt(address) <= LAST_PLACEHOLDER;
  return isPlaceholder && special.includes(address) ? String(described.container.from) : address;
}

function rawText({ value, type }: Value, _: unknown, { context, described }: Place): Localizable {
  const text = String(value);
  if (type.kind === "address") return addressText(context, described.chainId, text);
  return type.kind === "string" ? quoted(text) : text;
}

function writeTokenAmount(value: Value, as: ValueFormat, place: Place): Written | undefined {
  const { sources, special } = as;
  const message = plainText(as.text);
  const [amount, chainId] = [integerOf(value), chainFrom(sources.chainId, place)];
  const [address, most] = [addressFrom(sources.token, place), integerFrom(sources.threshold, place)];
  if (amount === undefined || amount < 0n || chainId === undefined) return undefined;
  if (sources.token !== undefined && address === undefined) return undefined;
  const isMost = most !== undefined && amount >= most;
  const isUnlimited = isMost && /^unlimited/i.test(as.text.en);
  if (address === undefined) {
    return { text: localizable("unitsOfUnknownToken", { amount: amount.toString() }), isUnlimited };
  }
  const symbol = findToken(place.context.directory, chainId, address)?.symbol;
  // An author cannot make a token the native currency.
  if (special.includes(address) && symbol === undefined) {
    return { text: isMost ? mostNativeText(chainId, message) : nativeText(chainId, amount), isUnlimited };
  }
  if (!isMost) return { text: tokenText(place.context, chainId, address, amount) };
  const text = symbol === undefined
    ? localizable("mostOfUnknown", { message, address })
    : localizable("mostOf", { message, symbol: readable(symbol) });
  return { text, isUnlimited };
}

function mostNativeText(chainId: string, message: Localizable): Localizable {
  const currency = findChain(chainId)?.currency;
  return currency === undefined
    ? localizable("ofUnknownCurrency", { amount: message, chainId })
    : localizable("mostOf", { message, symbol: currency });
}

/** Formats seconds as `HH:MM:SS`. */
function durationText(seconds: bigint): string {
  const two = (value: bigint): string => value.toString().padStart(2, "0");
  return `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}`;
}

const SI_PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];

function unitText(value: bigint, { text, decimals, isPrefixed }: ValueFormat): Localizable {
  const sign = value < 0n ? "-" : "";
  const digits = value.toString().length - sign.length - decimals;
  const power = isPrefixed ? Math.max(0, Math.min(SI_PREFIXES.length - 1, Math.floor((digits - 1) / 3))) : 0;
  const count = decimal(value < 0n ? -value : value, decimals + 3 * power);
  return `${sign}${count} ${SI_PREFIXES[power]}${readable(text.en)}`;
}

/**
 * Formats an address with its chain (ERC-7930): version 1, type of chain 0 (EIP-155), and an Ethereum address. Shows
 * the bytes of all others.
 */
function writeInteroperableAddress(value: Value, { special }: ValueFormat, place: Place): Localizable {
  const [, length = "0", rest = ""] = /^0x00010000([0-9a-f]{2})([0-9a-f]+)$/.exec(String(value.value)) ?? [];
  const size = 2 * Number.parseInt(length, 16);
  if (size > 64 || rest.slice(size, size + 2) !== "14" || rest.length !== size + 42) {
    return rawText(value, undefined, place);
  }
  const chainId = size === 0 ? null : BigInt(`0x${rest.slice(0, size)}`).toString();
  const address = senderOr(toChecksumAddress(fromHex(`0x${rest.slice(size + 2)}`)!), special, place);
  return localizable("atChain", {
    party: partyAt(place.context, chainId, address),
    chain: chainText(chainId),
  });
}

/**
 * Explains the inner call. Its caller is the contract, unless the contract calls itself or names a spender. A parameter
 * that is named and has no value leaves everything unknown.
 */
function writeCalldata(value: Value, { sources }: ValueFormat, place: Place): Written | undefined {
  const { described, context, indexes } = place;
  const { contract, container } = described;
  const to = addressFrom(sources.callee, place);
  const selector = sources.selector && valueOf(sources.selector, described, indexes);
  const call = {
    operation: "call",
    chainId: chainFrom(sources.chainId, place),
    caller: sources.spender === undefined
      ? to === contract ? String(container.from) : contract
      : addressFrom(sources.spender, place),
    to,
    value: sources.amount === undefined ? 0n : integerFrom(sources.amount, place),
    data: sources.selector !== undefined && selector === undefined
      ? undefined
      : toHex(concat(selector === undefined ? new Uint8Array() : bytesOf(selector), bytesOf(value))),
  };
  if (Object.values(call).includes(undefined)) return undefined;
  const inner = context.describeParts([call as Call]);
  return { text: inner.text, inner };
}
