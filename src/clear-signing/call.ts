import type { Actor } from "./party.ts";
import type { Said } from "./format-message.ts";
import { type AbiFunction, readAbiFunction } from "./abi.ts";
import type { Effect, Intent, IntentField, IntentKind, IntentWarning } from "./intent.ts";
import { chainWords, nativeWords } from "./parties.ts";
import type { IntentContext } from "./parties.ts";
import type { PlainStruct } from "./abi.ts";

/** Something that calls a contract: a transaction, or what a Safe does. */
export interface Call {
  readonly chainId: string;
  /** Who calls: the key's account, or the Safe. */
  readonly caller: string;
  readonly to: string;
  readonly value: bigint;
  /** 0x-hex. */
  readonly data: string;
}

/** What a call does. */
export interface CalledFor extends Pick<Intent, "recognisedBy"> {
  readonly kind: IntentKind;
  /** An order without its final period: "Send 5 USDC from … to …". */
  readonly words: Said;
  readonly fields: readonly IntentField[];
  readonly effects: readonly Effect[];
  readonly warnings: readonly IntentWarning[];
}

/** A function that is understood wherever it is called. */
export interface CallKind {
  readonly called: AbiFunction;
  /** Undefined where the arguments, or the contract, do not fit. */
  readonly read: (call: Call, given: PlainStruct, context: IntentContext) => CalledFor | undefined;
}

/** A function of a standard, for the tables of what is understood. */
export function abiFunction(text: string): AbiFunction {
  const called = readAbiFunction(text);
  if (called === undefined) throw new TypeError(`Cannot read function: ${text}`);
  return called;
}

/** What the words of every call say: who makes it, and on which chain. */
export function callWords(
  { chainId, caller }: Call,
  { signer }: IntentContext,
): { readonly by: Actor; readonly chain: Said } {
  return { by: caller === signer ? "you" : "safe", chain: chainWords(chainId) };
}

/** The same of a call to a contract, with what of the chain's own currency goes along, if any does. */
export function contractCallWords(
  call: Call,
  context: IntentContext,
): ReturnType<typeof callWords> & { readonly along: Said | undefined } {
  const { chainId, value } = call;
  return { ...callWords(call, context), along: value === 0n ? undefined : nativeWords(chainId, value) };
}
