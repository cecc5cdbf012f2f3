import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** Who changes: undefined for the Safe that the sentence has named, else a key that may run a Safe's code. */
interface Changing {
  readonly key: Party | undefined;
}

function make({ key }: Changing): string {
  return `Make ${key === undefined ? "it" : `${partyWords(key)}, if it runs the code of a Safe,`}`;
}

/** What Safes do. */
export const safeWords = {
  /** `refund` is a sentence of its own, if there is one. */
  safeTransaction: (
    { safe, chain, nonce, what, refund }: {
      readonly safe: string;
      readonly chain: string;
      readonly nonce: string;
      readonly what: string;
      readonly refund: string | undefined;
    },
  ) =>
    `Agree, for the Safe ${safe} on ${chain}, to its transaction ${nonce}: ${what}.${
      refund === undefined ? "" : ` ${refund}`
    }`,
  delegateCall: ({ code, count }: { readonly code: Party; readonly count: number }) =>
    `Run the code of ${partyWords(code)} as its own, with ${count} bytes. ` +
    "That can do anything with the Safe, and what it does is not known here",
  /** `receiver` is undefined for whoever carries it out. */
  gasRefund: (
    { receiver, fixed, price }: {
      readonly receiver: Party | undefined;
      readonly fixed: string;
      readonly price: string;
    },
  ) =>
    `The Safe also pays ${
      receiver === undefined ? "whoever carries it out" : partyWords(receiver)
    } for gas: up to ${fixed} however little it uses, and up to ${price} for each unit that it uses.`,
  enableModule: ({ module, ...change }: Changing & { readonly module: Party }) =>
    `${make(change)} obey the module ${partyWords(module)}, ` +
    "which can do everything with it without any signature",
  disableModule: ({ module, ...change }: Changing & { readonly module: Party }) =>
    `${make(change)} no longer obey the module ${partyWords(module)}`,
  addOwner: (
    { owner, threshold, ...change }: Changing & { readonly owner: Party; readonly threshold: string },
  ) => `${make(change)} take ${partyWords(owner)} as an owner and ask for ${threshold} signatures`,
  removeOwner: (
    { owner, threshold, ...change }: Changing & { readonly owner: Party; readonly threshold: string },
  ) => `${make(change)} no longer have ${partyWords(owner)} as an owner and ask for ${threshold} signatures`,
  swapOwner: ({ old, owner, ...change }: Changing & { readonly old: Party; readonly owner: Party }) =>
    `${make(change)} put ${partyWords(owner)} in the place of the owner ${partyWords(old)}`,
  changeThreshold: ({ threshold, ...change }: Changing & { readonly threshold: string }) =>
    `${make(change)} ask for ${threshold} signatures`,
  setGuard: ({ guard, ...change }: Changing & { readonly guard: Party }) =>
    `${make(change)} let the guard ${partyWords(guard)} decide what may be done`,
  setFallbackHandler: ({ handler, ...change }: Changing & { readonly handler: Party }) =>
    `${make(change)} let ${partyWords(handler)} answer for it`,
};
