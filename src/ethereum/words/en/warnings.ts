import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** Something at an address that is warned of, as the beginning of a sentence. */
const SUBJECTS = {
  account: "The account",
  authorizer: "The authorizer",
  code: "The code",
  collection: "The collection",
  contract: "The contract",
  fallback_handler: "The fallback handler",
  guard: "The guard",
  holder: "The holder",
  module: "The module",
  offerer: "The offerer",
  operator: "The operator",
  owner: "The owner",
  sender: "The sender",
  spender: "The spender",
  token: "The token",
};
export type Subject = keyof typeof SUBJECTS;

/** A beginning or an end, as the beginning of a sentence. */
const TIMES = {
  permit_end: "The last time at which the permit can be used",
  allowance_end: "The end of the allowance",
  start: "The beginning",
  end: "The end",
  order_start: "The beginning of the order",
  order_end: "The end of the order",
  sign_in_start: "The beginning of the sign-in",
  sign_in_end: "The end of the sign-in",
};
export type Bound = keyof typeof TIMES;

interface Timed {
  readonly what: Bound;
  readonly at: string;
}

/** What is warned of, one sentence each without its period. */
export const warningWords = {
  notThisKey: (
    { what, address, signer }: { readonly what: Subject; readonly address: string; readonly signer: string },
  ) => `${SUBJECTS[what]} ${address} is not this key (${signer})`,
  unknownContract: ({ what, address }: { readonly what: Subject; readonly address: string }) =>
    `${SUBJECTS[what]} ${address} is not known here`,
  unknownChain: ({ chainId }: { readonly chainId: string }) =>
    `Chain ${chainId} is not among those known here`,
  unknownDelegate: ({ address }: { readonly address: string }) =>
    `${address} is not among the known delegates`,
  hasPassed: ({ what, at }: Timed) => `${TIMES[what]} has passed: ${at}`,
  overYearAway: ({ what, at }: Timed) => `${TIMES[what]} is over a year away: ${at}`,
  overMonthAway: ({ what, at }: Timed) => `${TIMES[what]} is over 30 days away: ${at}`,
  permitForEver: "The permit can be used for ever",
  maySpend: ({ spender, amount }: { readonly spender: string; readonly amount: string }) =>
    `${spender} may spend ${amount}`,
  mayTake: ({ spender, amount }: { readonly spender: string; readonly amount: string }) =>
    `${spender} may take ${amount}`,
  mayTakeItems: ({ operator, collection }: { readonly operator: string; readonly collection: string }) =>
    `${operator} may take every item of ${collection}, now and later`,
  runsForeignCode: ({ code }: { readonly code: Party }) =>
    `The Safe runs the code of ${partyWords(code)} as its own`,
  /** `receiver` is undefined for whoever carries it out. */
  paysUnmeasuredGas: (
    { receiver, fixed }: { readonly receiver: Party | undefined; readonly fixed: string },
  ) =>
    `The Safe pays ${
      receiver === undefined ? "whoever carries it out" : partyWords(receiver)
    } up to ${fixed} for gas that nobody measures`,
  unreadArguments: ({ signature }: { readonly signature: string }) =>
    `The function is ${signature}, and what follows is not its arguments to the letter: ` +
    "the contract may carry it out all the same",
  givesAway: ({ back }: { readonly back: string }) => `The order gives something away, and ${back}`,
  siteIsNotHost: ({ domain, uri }: { readonly domain: string; readonly uri: string }) =>
    `The site ${domain} is not the host of the URI ${uri}`,
  siteIsNotAsking: ({ domain, asking }: { readonly domain: string; readonly asking: string }) =>
    `The site ${domain} is not the one that asks: ${asking}`,
  listedCapabilities:
    "This is more than a sign-in: whoever the URI belongs to may do in the account's name what is listed",
  unreadCapabilities:
    "This is more than a sign-in: it lets whoever the URI belongs to do something that cannot be read here",
  allChains: "It is good on every chain where the account has that nonce",
  lookAgain: ({ reason }: { readonly reason: string }) => `Look at these bytes again: ${reason}`,
  noContract: "It is bound to no contract: any program may take it for its own",
  highFee: ({ fee }: { readonly fee: string }) => `Gas can cost ${fee}`,
};
