import type { Actor, Party } from "../party.ts";
import { partyWords } from "./party.ts";

/** A call, whose words are an order without its final period: "Send 5 USDC from … to …". */
interface Called {
  readonly by: Actor;
  readonly chain: string;
}

interface CalledContract extends Called {
  /** What of the chain's own currency goes to the contract, if any. */
  readonly along: string | undefined;
}

interface CalledToken extends CalledContract {
  /** The contract where it may be no token. */
  readonly unknown: string | undefined;
}

function alongWords({ along }: CalledContract): string {
  return along === undefined ? "" : ` and send ${along} along to the contract`;
}

function endWords(call: CalledToken): string {
  return `${call.unknown === undefined ? "" : `, if ${call.unknown} is a token`}${alongWords(call)}`;
}

/** What transactions and the calls of a Safe do. */
export const callWords = {
  nativeTransfer: (
    { amount, from, to, chain }: Called & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) => `Send ${amount} from ${partyWords(from)} to ${partyWords(to)} on ${chain}`,
  tokenTransfer: (
    { amount, from, to, ...call }: CalledToken & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) => `Send ${amount} from ${partyWords(from)} to ${partyWords(to)} on ${call.chain}${endWords(call)}`,
  /** `amount` has "up to" where it has a limit; `more` is added to what is allowed already. */
  tokenAllowance: (
    { spender, amount, adds, owner, ...call }: CalledToken & {
      readonly spender: Party;
      readonly amount: string;
      readonly adds: boolean;
      readonly owner: Party;
    },
  ) =>
    `Allow ${partyWords(spender)} to spend ${adds ? "another " : ""}${amount} from ${
      partyWords(owner)
    } on ${call.chain}${endWords(call)}`,
  itemTransfer: (
    { items, collection, from, to, ...call }: CalledContract & {
      readonly items: string;
      readonly collection: Party;
      readonly from: Party;
      readonly to: Party;
    },
  ) =>
    `Send ${items} of ${partyWords(collection)} from ${partyWords(from)} to ${
      partyWords(to)
    } on ${call.chain}, ` +
    `if it is a collection${alongWords(call)}`,
  itemApproval: (
    { approved, operator, collection, owner, ...call }: CalledContract & {
      readonly approved: boolean;
      readonly operator: Party;
      readonly collection: Party;
      readonly owner: Party;
    },
  ) =>
    `${approved ? "Allow" : "Forbid"} ${partyWords(operator)} to take ${
      approved ? "every item" : "any item"
    } of ${partyWords(collection)} that ${partyWords(owner)} has on ${call.chain}, if it is a collection${
      alongWords(call)
    }`,
  /** `selector` is undefined where there are fewer than four bytes. */
  unknownCall: (
    { selector, contract, chain, amount, count }: Called & {
      readonly selector: string | undefined;
      readonly contract: Party;
      readonly amount: string;
      readonly count: number;
    },
  ) =>
    `Call ${selector === undefined ? "" : `function ${selector} of `}${partyWords(contract)} on ${chain} ` +
    `with ${amount} and ${count} bytes. What that does is not known here`,
  creation: (
    { count, creator, chain, amount }: Called & {
      readonly count: number;
      readonly creator: Party;
      readonly amount: string;
    },
  ) =>
    `Make a new contract from ${count} bytes of code by ${partyWords(creator)} on ${chain}, ` +
    `and give it ${amount}. What the code does is not known here`,
  /** `delegates` are the codes of authorizations that go along, if any do. */
  transaction: (
    { what, fee, delegates }: {
      readonly what: string;
      readonly fee: string;
      readonly delegates: string | undefined;
    },
  ) =>
    `${what}. Gas costs ${fee} at most.${
      delegates === undefined
        ? ""
        : ` It also carries authorizations of accounts to run the code of ${delegates}.`
    }`,
  /** `code` is undefined where the account is to run none any more. */
  delegation: (
    { account, code, chain, nonce }: {
      readonly account: Party;
      readonly code: Party | undefined;
      readonly chain: string;
      readonly nonce: string;
    },
  ) =>
    `${
      code === undefined
        ? `Let ${partyWords(account)} no longer run the code of another contract on ${chain}`
        : `Let ${partyWords(account)} run the code of ${
          partyWords(code)
        } as its own on ${chain}, which can then do everything with it`
    }. Anybody can carry it out while the account's nonce is ${nonce}.`,
};
