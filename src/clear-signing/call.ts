import type { Actor } from "./party.ts";
import type { Localizable } from "./format-message.ts";
import { type AbiFunction, type PlainStruct, readAbiFunction } from "./abi.ts";
import type { Effect, Intent, IntentField, IntentKind, IntentWarning } from "./intent.ts";
import { chainText, type IntentContext, nativeText } from "./parties.ts";

export interface Call {
  readonly chainId: string;
  /** The key's account, or the Safe. */
  readonly caller: string;
  readonly to: string;
  readonly value: bigint;
  /** 0x-hex. */
  readonly data: string;
}

export interface CalledFor extends Pick<Intent, "recognisedBy"> {
  readonly kind: IntentKind;
  /** An imperative without its final period: "Send 5 USDC from … to …". */
  readonly text: Localizable;
  readonly fields: readonly IntentField[];
  readonly effects: readonly Effect[];
  readonly warnings: readonly IntentWarning[];
}

/** A function that is recognised on every contract. */
export interface CallKind {
  readonly called: AbiFunction;
  /** Returns undefined if the arguments or the contract do not match. */
  readonly read: (call: Call, given: PlainStruct, context: IntentContext) => CalledFor | undefined;
}

/** Parses a function of a standard. Throws TypeError if it is invalid. */
export function abiFunction(text: string): AbiFunction {
  const called = readAbiFunction(text);
  if (called === undefined) throw new TypeError(`Cannot read function: ${text}`);
  return called;
}

/** Returns the parameters of every call's message: the caller and the chain. */
export function callText(
  { chainId, caller }: Call,
  { signer }: IntentContext,
): { readonly by: Actor; readonly chain: Localizable } {
  return { by: caller === signer ? "you" : "safe", chain: chainText(chainId) };
}

export function contractCallText(
  call: Call,
  context: IntentContext,
): ReturnType<typeof callText> & { readonly along: Localizable | undefined } {
  const { chainId, value } = call;
  return { ...callText(call, context), along: value === 0n ? undefined : nativeText(chainId, value) };
}
