import type { Actor, Party } from "./party.ts";
import { type Localizable, localizable } from "./format-message.ts";
import { type AbiFunction, type PlainStruct, readAbiFunction } from "./abi.ts";
import { readAttribution } from "./attribution.ts";
import type { Effect, Intent } from "./intent.ts";
import { bytesField, chainText, type IntentContext, nativeText, partyAt, quotable } from "./parties.ts";

export interface Call {
  readonly chainId: string;
  /** The key's account, or the account that calls for it. */
  readonly caller: string;
  readonly to: string;
  readonly value: bigint;
  /** 0x-hex. */
  readonly data: string;
  /** `delegate_call` if the caller runs the code of `to` as its own. */
  readonly operation: Extract<Effect, { effect: "call" }>["operation"];
}

/** `text` is an imperative without its final period: "Send 5 USDC from … to …". */
export interface CalledFor
  extends Pick<Intent, "kind" | "recognisedBy" | "fields" | "effects" | "effectsComplete" | "warnings"> {
  readonly text: Localizable;
}

/** The description of calls that a call makes, or of the parts of one. */
export interface Inner extends Pick<Intent, "fields" | "effects" | "effectsComplete" | "warnings"> {
  readonly text: Localizable;
}

export interface CallContext extends IntentContext {
  /** Describes what a call makes, in order. Each part is described only within the limits of depth and count. */
  readonly describeParts: (parts: readonly Part[]) => Inner;
}

/** A call that a call makes, or a part of its own that is already decoded. */
export type Part = Call | {
  readonly chainId: string;
  readonly to: string;
  readonly describe: (context: CallContext) => CalledFor;
};

/** A function that is recognised on every contract. */
export interface CallKind {
  readonly called: AbiFunction;
  /** Returns undefined if the arguments or the contract do not match. */
  readonly read: (call: Call, given: PlainStruct, context: CallContext) => CalledFor | undefined;
}

/**
 * Returns a function of a standard. Reads and hashes the text at the first use, because those of all standards take a
 * fifth of a start. Its members throw TypeError if the text is invalid.
 */
export function abiFunction(text: string): AbiFunction {
  let known: AbiFunction | undefined;
  const read = (): AbiFunction => {
    known ??= readAbiFunction(text);
    if (known === undefined) throw new TypeError(`Cannot read function: ${text}`);
    return known;
  };
  return {
    get signature() {
      return read().signature;
    },
    get selector() {
      return read().selector;
    },
    get parameters() {
      return read().parameters;
    },
  };
}

/** Returns the parameters of every call's message: the caller and the chain. */
export function callText(
  { chainId, caller }: Call,
  { signer }: IntentContext,
): { readonly by: Actor; readonly chain: Localizable } {
  return { by: caller === signer ? "you" : "account", chain: chainText(chainId) };
}

export function contractCallText(
  call: Call,
  context: IntentContext,
): ReturnType<typeof callText> & { readonly along: Localizable | undefined } {
  const { chainId, value } = call;
  return { ...callText(call, context), along: value === 0n ? undefined : nativeText(chainId, value) };
}

/** Returns the effects of every call: the call itself, and the transfer of its value. */
export function callEffects({ caller, to, value, data, operation }: Call): readonly Effect[] {
  const selector = data.length < 10 ? null : data.slice(0, 10);
  const call: Effect = { effect: "call", caller, to, operation, value: value.toString(), selector };
  if (value === 0n) return [call];
  const asset = { standard: "native", address: null, id: null, amount: value.toString() } as const;
  return [call, { effect: "transfer", from: caller, to, asset, until: null }];
}

/** Returns the party at the caller's address. */
export function callerOf(context: IntentContext, { chainId, caller }: Call): Party {
  return partyAt(context, chainId, caller);
}

/** Adds the bytes behind the arguments (`decodeArguments`). The function ignores them. */
export function withRest(described: CalledFor, rest: string): CalledFor {
  if (rest === "0x") return described;
  const codes = readAttribution(rest);
  return {
    ...described,
    text: localizable("followedBy", {
      sentence: described.text,
      ofAll: described.kind === "batch",
      count: rest.length / 2 - 1,
      attribution: codes === undefined ? undefined : quotable(codes),
    }),
    fields: [...described.fields, bytesField("behindArguments", rest)],
  };
}
