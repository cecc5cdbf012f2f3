import type { WarningLevel } from "../clear-signing/intent.ts";
import { type AbiFunction, type AbiParameter, type AbiType, readAbiFunction } from "../clear-signing/abi.ts";
import { builtInDirectory } from "../clear-signing/built-in-directory.ts";
import { movesAssets } from "../clear-signing/directory.ts";
import { understoodFunctions } from "../clear-signing/known-calls.ts";
import { KNOWN_TYPES } from "../clear-signing/match-standard.ts";
import { isUnlimited } from "../clear-signing/parties.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import type {
  CallRule,
  EffectRule,
  Limits,
  Policy,
  Spend,
  TransactionRule,
  TypedDataRule,
} from "./policy.ts";

/** The danger of a rule that allows; undefined if it is bounded. A rule that asks has none. */
export type RuleLevel = WarningLevel | undefined;

/** Values of others: what an order brings back, and what a witness adds. Offers have two amounts for each item. */
const NOT_GIVEN = /^\/(?:witness|consideration|offer|tree|buy|taking)|\/\d/;
const RECIPIENT = /\/(?:to|spender|recipient|receiver|operator|payee)$/;
const AMOUNT = /(?:\/|[a-z])(?:amount|value|wad)$/i;

/** Types and functions that let others take tokens. */
const GIVES =
  /^(?:permit|dai|approve|increase|setApproval|transfer(?!Ownership)|safeTransfer|receive|order)/i;

/** Types that carry a call, and their data. */
const CARRIES = /^(?:SafeTx|SafeOp|PackedUserOperation|ForwardRequest)/;
const CARRIED = ["/data", "/callData"];

/** Functions of the standards that only take back. */
const TAKES_BACK = /^(?:decrease|lockdown)/;

let functions: ReadonlyMap<string, AbiFunction> | undefined;

function knownFunction(selector: string): AbiFunction | undefined {
  functions ??= new Map(understoodFunctions().map((one) => [one.selector, one]));
  return functions.get(selector);
}

/** Returns the name of a function that the built-in standards explain, or undefined. */
export function functionName(selector: string): string | undefined {
  return knownFunction(selector)?.signature;
}

let types: ReadonlyMap<string, string> | undefined;

/** Returns the canonical text of a type that the built-in standards explain, by its `typeHash`, or undefined. */
export function knownType(typeHash: string): string | undefined {
  types ??= new Map(KNOWN_TYPES.map((text) => [toHex(keccak256(utf8(text))), text]));
  return types.get(typeHash);
}

/** Red if neither recipient nor amount is limited, amber if one of them is not. */
function levelOfGift(limits: Limits, spends: readonly Spend[]): RuleLevel {
  const paths = Object.entries(limits).filter(([path]) => !NOT_GIVEN.test(path));
  const isBoundTo = paths.some(([path, { oneOf }]) => RECIPIENT.test(path) && oneOf !== undefined);
  const isBounded =
    spends.some(({ path = "", recipient }) =>
      AMOUNT.test(path) && !NOT_GIVEN.test(path) && (recipient === undefined || isBoundTo)
    ) || paths.some(([path, { atMost, oneOf }]) =>
      AMOUNT.test(path) && (oneOf !== undefined || (atMost !== undefined && !isUnlimited(BigInt(atMost))))
    );
  if (!isBoundTo && !isBounded) return "red";
  return isBoundTo && isBounded ? undefined : "amber";
}

function isFixed(limits: Limits, path: string): boolean {
  return Object.hasOwn(limits, path) && limits[path]!.oneOf !== undefined;
}

function levelOfTypedData(
  { chainId, verifyingContract, typeHash, where, spends }: TypedDataRule,
): RuleLevel {
  const known = knownType(typeHash);
  if (known !== undefined && CARRIES.test(known)) {
    if (isFixed(where, "/callData")) return undefined;
    return CARRIED.some((path) => isFixed(where, path)) ? levelOfGift(where, spends) : "red";
  }
  // A hash does not show its type, and only the contract decides what it means.
  const gives = known === undefined
    ? verifyingContract !== null && movesAssets(builtInDirectory(), chainId, verifyingContract)
    : GIVES.test(known);
  if (gives) return levelOfGift(where, spends);
  return Object.keys(where).length === 0 ? "amber" : undefined;
}

/** Writes a path with the names of the standard: the rule's author chooses the names of the parameters. */
function standardPath(path: string, given: readonly AbiParameter[], known: readonly AbiParameter[]): string {
  let [own, standard] = [given, known];
  return path.split("/").map((step) => {
    const index = own.findIndex(({ name }) => name === step);
    if (index < 0) return step;
    const found = standard[index];
    // Another function with the same selector.
    if (found === undefined) return step;
    [own, standard] = [componentsOf(own[index]!.type), componentsOf(found.type)];
    return found.name;
  }).join("/");
}

function componentsOf(type: AbiType): readonly AbiParameter[] {
  if (type.kind === "array") return componentsOf(type.item);
  return type.kind === "tuple" ? type.components : [];
}

function levelOfCall({ function: text, where }: CallRule, spends: readonly Spend[]): RuleLevel {
  const called = readAbiFunction(text)!;
  const known = knownFunction(called.selector) ?? called;
  const named = (path: string): string => standardPath(path, called.parameters, known.parameters);
  const limits = Object.fromEntries(Object.entries(where).map(([path, limit]) => [named(path), limit]));
  if (GIVES.test(text)) {
    // A spend is of the transaction, and its arguments are below /call.
    return levelOfGift(
      limits,
      spends.filter(({ path }) => path?.startsWith("/call/")).map((spend) => ({
        ...spend,
        path: named(spend.path!.slice("/call".length)),
      })),
    );
  }
  if (known !== called && !TAKES_BACK.test(text)) {
    return known.parameters.every(({ name }) => isFixed(limits, `/${name}`)) ? undefined : "red";
  }
  return Object.keys(where).length === 0 && called.parameters.length > 0 ? "amber" : undefined;
}

function levelOfTransaction({ to, selectors, call, delegates, spends }: TransactionRule): RuleLevel {
  if (selectors === "any" || to === "creation" || delegates !== undefined) return "red";
  if (call !== undefined) return levelOfCall(call, spends) ?? (to === "any" ? "amber" : undefined);
  const called = selectors!.filter((selector) => selector !== "0x");
  const isDangerous = (name = ""): boolean => name !== "" && !TAKES_BACK.test(name);
  if (called.some((selector) => isDangerous(functionName(selector)))) return "red";
  return called.length > 0 || to === "any" ? "amber" : undefined;
}

function levelOfEffects({ gives }: EffectRule): RuleLevel {
  const levels = gives.map(({ to, atMost, budget }): RuleLevel => {
    const isBounded = budget !== undefined || (atMost !== undefined && !isUnlimited(BigInt(atMost)));
    if (to === "any" && !isBounded) return "red";
    return to === "any" || !isBounded ? "amber" : undefined;
  });
  return levels.includes("red") ? "red" : levels.find((level) => level !== undefined);
}

/** Levels of the members that allow a whole format. */
const FORMATS: Readonly<Record<string, WarningLevel>> = {
  text: "amber",
  bytes: "red",
  raw: "red",
  digest: "red",
};

/** Returns the danger of a policy's only rule. */
export function levelOf(
  { messages, typedData, transactions, authorizations, effects = [], raw, digest }: Policy,
): RuleLevel {
  const formats = { text: messages.text, bytes: messages.bytes, raw, digest };
  const free = Object.entries(formats).find(([, outcome]) => outcome === "allow");
  if (free !== undefined) return FORMATS[free[0]];
  if (messages.signIn.some(({ resources, outcome }) => resources === "any" && outcome === "allow")) {
    return "amber";
  }
  if (authorizations.some(({ outcome }) => outcome === "allow")) return "red";
  return [
    ...typedData.filter(isFree).map(levelOfTypedData),
    ...transactions.filter(isFree).map(levelOfTransaction),
    ...effects.filter(isFree).map(levelOfEffects),
  ][0];
}

function isFree({ outcome }: { readonly outcome: string }): boolean {
  return outcome === "allow";
}
