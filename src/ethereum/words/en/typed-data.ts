import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** The chain stands behind "on". */
interface OnChain {
  readonly chain: string;
}

interface Allowed extends OnChain {
  readonly spender: Party;
  /** With "up to" where it has a limit. */
  readonly amount: string;
  readonly owner: Party;
}

/** What typed data of the standards does. */
export const typedDataWords = {
  erc20Permit: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string }) =>
    `Allow ${partyWords(spender)} to spend ${amount} from ${partyWords(owner)} on ${chain}. ` +
    `The permit can be used until ${until}; the allowance then stays until it is spent or changed.`,
  /** Without `until` there is no end. */
  daiPermit: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string | undefined }) =>
    `Allow ${partyWords(spender)} to spend ${amount} from ${partyWords(owner)} on ${chain}. ` +
    `The permit can be used ${
      until === undefined ? "at any time" : `until ${until}`
    }; the allowance then stays until it is changed.`,
  permit2Part: ({ amount, until }: { readonly amount: string; readonly until: string }) =>
    `${amount} ${until}`,
  permit2Allowance: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string }) =>
    `Allow ${partyWords(spender)} to spend from ${
      partyWords(owner)
    } on ${chain}, through Permit2: ${amount}. ` +
    `The permit can be used until ${until}.`,
  permit2Transfer: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string }) =>
    `Allow ${partyWords(spender)} to take ${amount} from ${partyWords(owner)} on ${chain} ` +
    `and send it wherever it likes, once, through Permit2, until ${until}.`,
  /** `type` is a name in ASCII. */
  withWitness: ({ sentence, type }: { readonly sentence: string; readonly type: string }) =>
    `${sentence} It is bound to what “${type}” below says, which is not understood here.`,
  transferAuthorization: (
    { amount, from, to, chain, who, after, before }: OnChain & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
      readonly who: "anybody" | "recipient";
      /** Nothing where it is good from now on. */
      readonly after: string | undefined;
      readonly before: string;
    },
  ) =>
    `Send ${amount} from ${partyWords(from)} to ${partyWords(to)} on ${chain}. ` +
    `${who === "recipient" ? "The recipient alone" : "Anybody"} can carry it out, once, ${
      after === undefined ? "" : `after ${after} and `
    }before ${before}.`,
  authorizationCancellation: (
    { nonce, authorizer, token, chain }: OnChain & {
      readonly nonce: string;
      readonly authorizer: Party;
      readonly token: Party;
    },
  ) =>
    `Cancel the authorization ${nonce} of ${partyWords(authorizer)} at ${partyWords(token)} on ${chain}, ` +
    "so that its transfer can no longer be carried out.",
  seaportOrder: (
    { gives, offerer, chain, back, elsewhere, zone, start, end }: OnChain & {
      readonly gives: string;
      readonly offerer: Party;
      /** What comes back (`comesBackWords`, `nothingBack`). */
      readonly back: string;
      /** What goes to others, if anything does. */
      readonly elsewhere: string | undefined;
      /** Who decides who can take it; undefined where anybody can. */
      readonly zone: string | undefined;
      readonly start: string;
      readonly end: string;
    },
  ) =>
    `Give ${gives} of ${partyWords(offerer)} on ${chain}; for it ${back}${
      elsewhere === undefined ? "" : `, and ${elsewhere}`
    }. ${zone === undefined ? "Anybody" : `Whom the zone ${zone} lets`} can take the order from ${start} ` +
    `until ${end}.`,
  mustComeBack: ({ items }: { readonly items: string }) => `${items} must come back`,
  nothingBack: "nothing comes back",
  mustGoTo: ({ items, to }: { readonly items: string; readonly to: Party }) =>
    `${items} must go to ${partyWords(to)}`,
  fromFirstToLast: ({ first, last }: { readonly first: string; readonly last: string }) =>
    `${first} at first to ${last} at last`,
  /** An item of a collection. `count` is how many of it, and from how many to how many where that changes. */
  orderItem: (
    { which, id, collection, count }: {
      readonly which: "one" | "any" | "certain";
      readonly id: string;
      readonly collection: string;
      readonly count: { readonly first: string; readonly last: string } | undefined;
    },
  ) => {
    const many = count === undefined
      ? ""
      : count.first === count.last
      ? `${count.first} of `
      : `${count.first} to ${count.last} of `;
    const what = { one: `item ${id}`, any: "any item", certain: "one of certain items" }[which];
    return `${many}${what} of ${collection}`;
  },
  userOperation: (
    { nonce, account, chain, isSetUp, called, paymaster, cost }: OnChain & {
      readonly nonce: string;
      readonly account: Party;
      readonly isSetUp: boolean;
      readonly called: string;
      /** Undefined where the account pays. */
      readonly paymaster: Party | undefined;
      readonly cost: string;
    },
  ) =>
    `Run the user operation ${nonce} of the account ${partyWords(account)} on ${chain}${
      isSetUp ? ", setting the account up first" : ""
    }: ${called}, and what that does is not known here. For gas, ${
      paymaster === undefined ? "the account" : `the paymaster ${partyWords(paymaster)}`
    } pays ${cost} at most.`,
  nothingCalled: "nothing is called",
  calledWithBytes: ({ count }: { readonly count: number }) => `it is called with ${count} bytes`,
  calledFunction: ({ selector, count }: { readonly selector: string; readonly count: number }) =>
    `its function ${selector} is called with ${count} bytes`,
  /** `primaryType` is a name in ASCII. */
  unknownTypedData: (
    { primaryType, contract, chain }: OnChain & {
      readonly primaryType: string;
      readonly contract: Party | undefined;
    },
  ) =>
    `Sign typed data “${primaryType}” for ${
      contract === undefined ? "no contract," : partyWords(contract)
    } on ${chain}. What it does is not known here: read all of it.`,
};
