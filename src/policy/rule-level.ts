import type { WarningLevel } from "../clear-signing/intent.ts";
import { understoodFunctions } from "../clear-signing/known-calls.ts";
import { KNOWN_TYPES } from "../clear-signing/match-standard.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import type { EffectRule, Limits, Policy, Spend, TransactionRule, TypedDataRule } from "./policy.ts";

/** The danger of a rule that allows; undefined if it is bounded. A rule that asks has none. */
export type RuleLevel = WarningLevel | undefined;

const RECIPIENT = /\/(?:to|spender|recipient|receiver|operator|payee)$/;
const AMOUNT = /(?:\/|[a-z])(?:amount|value|wad)$/i;

/** Types and functions that let others take tokens. */
const GIVES = /^(?:permit|dai|approve|increase|setApproval|transfer|safeTransfer|receive|order)/i;

/** The functions that open all of a token or collection, if their arguments are free. */
const ALLOWS = /^(?:approve|increase|setApproval|permit)/;

let names: ReadonlyMap<string, string> | undefined;

/** Returns the name of a function that the built-in standards explain, or undefined. */
export function functionName(selector: string): string | undefined {
  names ??= new Map(understoodFunctions().map((one) => [one.selector, one.signature]));
  return names.get(selector);
}

/** Red if neither recipient nor amount is limited, amber if one of them is not. */
function levelOfGift(limits: Limits, spends: readonly Spend[]): RuleLevel {
  const paths = Object.entries(limits);
  const isBoundTo = paths.some(([path, { oneOf }]) => RECIPIENT.test(path) && oneOf !== undefined);
  const isBounded = spends.some(({ path }) => path !== undefined) ||
    paths.some(([path, { atMost, oneOf }]) => AMOUNT.test(path) && (atMost ?? oneOf) !== undefined);
  if (!isBoundTo && !isBounded) return "red";
  return isBoundTo && isBounded ? undefined : "amber";
}

function levelOfTypedData({ typeHash, where, spends }: TypedDataRule): RuleLevel {
  const known = KNOWN_TYPES.find((text) => toHex(keccak256(utf8(text))) === typeHash);
  if (known !== undefined && GIVES.test(known)) return levelOfGift(where, spends);
  return Object.keys(where).length === 0 ? "amber" : undefined;
}

function levelOfTransaction({ to, selectors, call, delegates, spends }: TransactionRule): RuleLevel {
  if (selectors === "any" || to === "creation" || delegates !== undefined) return "red";
  if (call !== undefined) return GIVES.test(call.function) ? levelOfGift(call.where, spends) : undefined;
  const called = selectors!.filter((selector) => selector !== "0x");
  if (called.some((selector) => ALLOWS.test(functionName(selector) ?? ""))) return "red";
  return called.length > 0 || to === "any" ? "amber" : undefined;
}

function levelOfEffects({ gives }: EffectRule): RuleLevel {
  const levels = gives.map(({ to, atMost, budget }): RuleLevel => {
    const isBounded = atMost !== undefined || budget !== undefined;
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
