// The English sentences on what is signed. One catalogue holds a language, so the file is longer than others.

import { toIso } from "../lib/time.ts";
import type { Actor, Party } from "./party.ts";

function partyText(party: Party): string {
  switch (party.is) {
    case "this_key":
      return `this key (${party.address})`;
    case "own_key":
      return `your key “${party.label}” (${party.address})`;
    case "known":
      return `${party.name} (${party.address})`;
    case "unnamed":
      return party.address;
  }
}

/** The chain, for use after "on". */
interface OnChain {
  readonly chain: string;
}

interface Allowed extends OnChain {
  readonly spender: Party;
  /** With "up to" if it is limited. */
  readonly amount: string;
  readonly owner: Party;
}

/** A call. Its message is an imperative without its final period: "Send 5 USDC from … to …". */
interface Called {
  readonly by: Actor;
  readonly chain: string;
}

interface CalledContract extends Called {
  /** The native currency that goes to the contract, if any. */
  readonly along: string | undefined;
}

interface CalledToken extends CalledContract {
  /** The contract's address if it may be no token. */
  readonly unknown: string | undefined;
}

function byAndValue({ along }: CalledContract): string {
  return along === undefined ? "" : ` and send ${along} along to the contract`;
}

function callEnding(call: CalledToken): string {
  return `${call.unknown === undefined ? "" : `, if ${call.unknown} is a token`}${byAndValue(call)}`;
}

/** The change of an allowance: its amount is set, added or taken away. */
const CHANGES = {
  sets: (amount: string) => amount,
  adds: (amount: string) => `another ${amount}`,
  takes: (amount: string) => `${amount} less`,
};

export type Change = keyof typeof CHANGES;

/** The warnings about something that no standard and no descriptor describes. `at` is the contract. */
const NOT_UNDERSTOOD = {
  call: (at: string) => `What the call of ${at} does is not known here`,
  typed_data: (at: string) => `What ${at} does with this typed data is not known here`,
  standard: (at: string) =>
    `This has the type of a standard, and is not exactly one: ${at} may still accept it`,
  bytes: () => "What these bytes mean is not known here",
  hash: () => "This may be the hash of something else, which can do everything that this key can do",
  code: () => "What the code of the new contract does is not known here",
  rest: () => "There are too many calls in calls: not all of them are read here",
};

export type NotUnderstood = keyof typeof NOT_UNDERSTOOD;

/** Payments of a router, by what their amount means. */
const PAYMENTS = {
  at_least: "everything, at least",
  exactly: "",
  share: "",
  wrapped: "wrapped currency of at least",
};

export type Payment = keyof typeof PAYMENTS;

/** The author of a change: a key that may run a Safe's code, or undefined for the Safe that the sentence names. */
interface Changing {
  readonly key: Party | undefined;
}

function make({ key }: Changing): string {
  return `Make ${key === undefined ? "it" : `${partyText(key)}, if it runs the code of a Safe,`}`;
}

interface MayBeHash {
  /** True for 32 bytes that can be a hash. */
  readonly mayBeHash: boolean;
}

function hint({ mayBeHash }: MayBeHash): string {
  return mayBeHash ? " 32 bytes may be the hash of a user operation or of a Safe's transaction." : "";
}

/** The subject of a warning, at the start of a sentence. */
const SUBJECTS = {
  account: "The account",
  authorizer: "The authorizer",
  code: "The code",
  collection: "The collection",
  contract: "The contract",
  delegate: "The code",
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

/** A start or an end, at the start of a sentence. */
const TIMES = {
  permit_end: "The last time at which the permit can be used",
  allowance_end: "The end of the allowance",
  start: "The beginning",
  end: "The end",
  order_start: "The beginning of the order",
  order_end: "The end of the order",
  sign_in_start: "The beginning of the sign-in",
  sign_in_end: "The end of the sign-in",
  operation_end: "The end of the operation",
  request_end: "The end of the request",
};

export type Bound = keyof typeof TIMES;

interface Timed {
  readonly what: Bound;
  readonly at: string;
}

/** The English catalogue. The API uses it, and the others must have the same codes. */
export const en = {
  // Values in sentences and by themselves.
  party: ({ party }: { readonly party: Party }) => partyText(party),
  /** A foreign text: readable, without quotation marks of its own (`quotable`). */
  quote: ({ text }: { readonly text: string }) => `“${text}”`,
  /** Seconds since 1970, before the year 10000. */
  dateTime: ({ seconds }: { readonly seconds: string }) =>
    toIso(Number(seconds) * 1000).replace("T", " ").replace(".000Z", " UTC"),
  afterAllYears: "a time after the year 9999",
  untilDateTime: ({ at }: { readonly at: string }) => `until ${at}`,
  inOneBlock: "in the one block in which the permit is used",
  forEver: "forever",
  anyChain: "any chain",
  everyChain: "every chain",
  chainById: ({ chainId }: { readonly chainId: string }) => `chain ${chainId}`,
  ofUnknownCurrency: ({ amount, chainId }: { readonly amount: string; readonly chainId: string }) =>
    `${amount} of the currency of chain ${chainId}`,
  unlimited: ({ symbol }: { readonly symbol: string }) => `unlimited ${symbol}`,
  units: ({ amount, address }: { readonly amount: string; readonly address: string }) =>
    `${amount} units of ${address} (decimals unknown)`,
  unlimitedUnits: ({ address }: { readonly address: string }) =>
    `unlimited units of ${address} (decimals unknown)`,
  upTo: ({ amount }: { readonly amount: string }) => `up to ${amount}`,
  orItem: ({ amount, id }: { readonly amount: string; readonly id: string }) =>
    `${amount}, or its item ${id}`,
  item: ({ id }: { readonly id: string }) => `item ${id}`,
  someOfItem: ({ amount, id }: { readonly amount: string; readonly id: string }) => `${amount} of item ${id}`,
  everyItem: "every item, now and later",
  none: "none",
  bytes: ({ count }: { readonly count: number }) => `${count} bytes`,
  /** Calls by their numbers. `more` is a count only. */
  parts: (
    { texts, numbers, more }: {
      readonly texts: readonly string[];
      readonly numbers: readonly number[];
      readonly more: number;
    },
  ) =>
    [
      ...texts.map((text, index) => `(${numbers[index]}) ${text.replace(/\.$/, "")}`),
      ...(more === 0 ? [] : [`${more} more are listed below`]),
    ].join(". "),
  partLabel: ({ number }: { readonly number: number }) => `Call ${number}`,
  /** At least one of `parts`. `more` is a count only. */
  list: ({ parts, more }: { readonly parts: readonly string[]; readonly more: number }) => {
    const all = more === 0 ? parts : [...parts, `${more} more, listed below`];
    return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  },

  // The labels of an intent's values, and its standards.
  account: "Account",
  allowedUntil: "Allowed until",
  amountLabel: "Amount",
  authorizer: "Authorizer",
  behindArguments: "Behind the arguments",
  boundTo: "Bound to",
  bytesLabel: "Bytes",
  call: "Call",
  callsItself: "Calls itself",
  chain: "Chain",
  code: "Code",
  codeOf: "Code of",
  collection: "Collection",
  comesBack: "Comes back",
  contract: "Contract",
  data: "Data",
  digest: "Digest",
  fallbackHandler: "Fallback handler",
  from: "From",
  gasFixed: "Pays for gas however little it uses",
  gasMost: "Gas costs at most",
  gets: "Gets",
  gives: "Gives",
  goesElsewhere: "Goes elsewhere",
  guard: "Guard",
  holder: "Holder",
  issuedAt: "Issued at",
  itemLabel: "Item",
  lessBy: "Less by",
  letsOwner: "Lets the URI's owner",
  module: "Module",
  moreBy: "More by",
  newOwner: "New owner",
  nonce: "Nonce",
  notBefore: "Not before",
  offerer: "Offerer",
  oldOwner: "Removed owner",
  operator: "Operator",
  owner: "Owner",
  request: "Request",
  resource: "Resource",
  safe: "Safe",
  sentAlong: "Sent along",
  setUpBy: "Set up by",
  signaturesAsked: "Required signatures",
  site: "Site",
  spender: "Spender",
  start: "From",
  statement: "Statement",
  textLabel: "Text",
  to: "To",
  token: "Token",
  transactionLabel: "Transaction",
  until: "Until",
  uri: "URI",
  usableUntil: "Can be used until",
  validAfter: "Valid after",
  validBefore: "Valid before",
  validUntil: "Valid until",
  version: "Version",

  byDaiPermit: "the permit of DAI",
  byNothing: "nothing",
  byTransaction: "the transaction itself",
  byCollections: "ERC-721 and ERC-1155",
  byDescriptor: ({ name }: { readonly name: string }) => `ERC-7730: ${name}`,

  // The effects of typed data of the standards.
  erc20Permit: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string }) =>
    `Allow ${partyText(spender)} to spend ${amount} from ${partyText(owner)} on ${chain}. ` +
    `The permit can be used until ${until}; the allowance then stays until it is spent or changed.`,
  /** Undefined `until` means no end. */
  daiPermit: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string | undefined }) =>
    `Allow ${partyText(spender)} to spend ${amount} from ${partyText(owner)} on ${chain}. ` +
    `The permit can be used ${
      until === undefined ? "at any time" : `until ${until}`
    }; the allowance then stays until it is changed.`,
  /** A permit of nothing. Undefined `until` means no end. */
  takeBackPermit: (
    { spender, token, owner, chain, until }: OnChain & {
      readonly spender: Party;
      readonly token: Party;
      readonly owner: Party;
      readonly until: string | undefined;
    },
  ) =>
    `Take back what ${partyText(spender)} may spend of ${partyText(token)} from ${
      partyText(owner)
    } on ${chain}. ` +
    `The permit can be used ${until === undefined ? "at any time" : `until ${until}`}.`,
  permit2Part: ({ amount, until }: { readonly amount: string; readonly until: string }) =>
    `${amount} ${until}`,
  permit2Allowance: ({ spender, amount, owner, chain, until }: Allowed & { readonly until: string }) =>
    `Allow ${partyText(spender)} to spend from ${
      partyText(owner)
    } on ${chain}, through Permit2: ${amount}. ` +
    `The permit can be used until ${until}.`,
  /** `witness` is a type in ASCII. */
  permit2Transfer: (
    { spender, amount, owner, chain, until, witness }: Allowed & {
      readonly until: string;
      readonly witness: string | undefined;
    },
  ) =>
    `Allow ${partyText(spender)} to take ${amount} from ${partyText(owner)} on ${chain} ` +
    `and send it anywhere, once, through Permit2, until ${until}.${
      witness === undefined
        ? ""
        : ` It is bound to what “${witness}” below says, which is not understood here.`
    }`,
  transferAuthorization: (
    { amount, from, to, chain, who, after, before }: OnChain & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
      readonly who: "anyone" | "recipient";
      /** Undefined if it is valid at once. */
      readonly after: string | undefined;
      readonly before: string;
    },
  ) =>
    `Send ${amount} from ${partyText(from)} to ${partyText(to)} on ${chain}. ` +
    `${who === "recipient" ? "The recipient alone" : "Anyone"} can carry it out, once, ${
      after === undefined ? "" : `after ${after} and `
    }before ${before}.`,
  authorizationCancellation: (
    { nonce, authorizer, token, chain }: OnChain & {
      readonly nonce: string;
      readonly authorizer: Party;
      readonly token: Party;
    },
  ) =>
    `Cancel the authorization ${nonce} of ${partyText(authorizer)} at ${partyText(token)} on ${chain}, ` +
    "so that its transfer can no longer be carried out.",
  seaportOrder: (
    { gives, offerer, chain, back, elsewhere, zone, start, end }: OnChain & {
      readonly gives: string;
      readonly offerer: Party;
      /** The items that come back (`nothingBack` if there are none). */
      readonly back: string;
      /** The items that go to others, if any. */
      readonly elsewhere: string | undefined;
      /** The contract that decides who may take the order; undefined if anyone may. */
      readonly zone: string | undefined;
      readonly start: string;
      readonly end: string;
    },
  ) =>
    `Give ${gives} of ${partyText(offerer)} on ${chain}; for it ${back}${
      elsewhere === undefined ? "" : `, and ${elsewhere}`
    }. ${
      zone === undefined ? "Anyone" : `Only accounts that the zone ${zone} allows`
    } can take the order from ${start} ` +
    `until ${end}.`,
  /** Each order is signed by itself. */
  orders: ({ orders }: { readonly orders: string }) =>
    `Sign orders, of which each counts by itself: ${orders}.`,
  unreadOrder: ({ offerer }: { readonly offerer: Party }) =>
    `Give something of ${partyText(offerer)} in an order that is not known here`,
  mustComeBack: ({ items }: { readonly items: string }) => `${items} must come back`,
  nothingBack: "nothing comes back",
  mustGoTo: ({ items, to }: { readonly items: string; readonly to: Party }) =>
    `${items} must go to ${partyText(to)}`,
  fromFirstToLast: ({ first, last }: { readonly first: string; readonly last: string }) =>
    `${first} at first to ${last} at last`,
  /** An item of a collection. `count` is the number of it, as a range if it changes. */
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
    { nonce, account, chain, isSetUp, what, paymaster, cost }: OnChain & {
      readonly nonce: string;
      readonly account: Party;
      readonly isSetUp: boolean;
      readonly what: string;
      /** Undefined if the account pays. */
      readonly paymaster: Party | undefined;
      readonly cost: string;
    },
  ) =>
    `Run the user operation ${nonce} of the account ${partyText(account)} on ${chain}${
      isSetUp ? ", setting the account up first" : ""
    }: ${what}. For gas, ${
      paymaster === undefined ? "the account" : `the paymaster ${partyText(paymaster)}`
    } pays ${cost} at most.`,
  nothingCalled: "nothing is called",
  /** Undefined `until` means no end. */
  forwardRequest: (
    { forwarder, from, chain, what, until }: OnChain & {
      readonly forwarder: Party;
      readonly from: Party;
      readonly what: string;
      readonly until: string | undefined;
    },
  ) =>
    `Let anyone carry out, once, through ${partyText(forwarder)} in the name of ${
      partyText(from)
    } on ${chain}${until === undefined ? "" : `, until ${until}`}: ${what}.`,
  forAccount: ({ account, sentence }: { readonly account: Party; readonly sentence: string }) =>
    `For the account ${partyText(account)}: ${sentence}`,
  /** `primaryType` is a name in ASCII. */
  unknownTypedData: (
    { primaryType, contract, chain }: OnChain & {
      readonly primaryType: string;
      readonly contract: Party | undefined;
    },
  ) =>
    `Sign typed data “${primaryType}” for ${
      contract === undefined ? "no contract," : partyText(contract)
    } on ${chain}. What it does is not known here: read all of it.`,

  // The effects of transactions and of a Safe's calls.
  nativeTransfer: (
    { amount, from, to, chain }: Called & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) => `Send ${amount} from ${partyText(from)} to ${partyText(to)} on ${chain}`,
  tokenTransfer: (
    { amount, from, to, ...call }: CalledToken & {
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) => `Send ${amount} from ${partyText(from)} to ${partyText(to)} on ${call.chain}${callEnding(call)}`,
  /** `amount` has "up to" if it is limited. `permit2` is the end of an allowance in Permit2. */
  tokenAllowance: (
    { spender, amount, change, owner, permit2, ...call }: CalledToken & {
      readonly spender: Party;
      readonly amount: string;
      readonly change: Change;
      readonly owner: Party;
      readonly permit2: string | undefined;
    },
  ) =>
    `Allow ${partyText(spender)} to spend ${CHANGES[change](amount)} from ${
      partyText(owner)
    } on ${call.chain}${permit2 === undefined ? "" : ` through Permit2, ${permit2}`}${callEnding(call)}`,
  takeBack: (
    { spender, token, owner, chain }: Called & {
      readonly spender: Party;
      readonly token: Party;
      readonly owner: Party;
    },
  ) =>
    `Take back what ${partyText(spender)} may spend of ${partyText(token)} from ${
      partyText(owner)
    } on ${chain}`,
  /** Undefined `account` means the caller. */
  carryOut: (
    { account, calls, ...call }: CalledContract & {
      readonly account: Party | undefined;
      readonly calls: string;
    },
  ) =>
    `${account === undefined ? "Carry out" : `Let ${partyText(account)} carry out`}${
      byAndValue(call)
    }: ${calls}`,
  giveControl: (
    { contract, to, ...call }: CalledContract & { readonly contract: Party; readonly to: Party },
  ) => `Let ${partyText(to)} control ${partyText(contract)} on ${call.chain}${byAndValue(call)}`,
  swap: (
    { gives, gets, from, to, chain }: Called & {
      readonly gives: string;
      readonly gets: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) => `Exchange up to ${gives} of ${partyText(from)} for at least ${gets} for ${partyText(to)} on ${chain}`,
  payment: (
    { kind, amount, from, to, chain }: Called & {
      readonly kind: Payment;
      readonly amount: string;
      readonly from: Party;
      readonly to: Party;
    },
  ) =>
    `Send ${PAYMENTS[kind]} ${amount} from ${partyText(from)} to ${partyText(to)} on ${chain}`.replace(
      "  ",
      " ",
    ),
  share: ({ percent, token }: { readonly percent: string; readonly token: Party }) =>
    `${percent}% of ${partyText(token)}`,
  /** `code` is a byte as 0x-hex. */
  unknownCommand: ({ code }: { readonly code: string }) =>
    `Run the command ${code}. What that does is not known here`,
  itemTransfer: (
    { items, collection, from, to, ...call }: CalledContract & {
      readonly items: string;
      readonly collection: Party;
      readonly from: Party;
      readonly to: Party;
    },
  ) =>
    `Send ${items} of ${partyText(collection)} from ${partyText(from)} to ${
      partyText(to)
    } on ${call.chain}, ` +
    `if it is a collection${byAndValue(call)}`,
  itemApproval: (
    { approved, operator, collection, owner, ...call }: CalledContract & {
      readonly approved: boolean;
      readonly operator: Party;
      readonly collection: Party;
      readonly owner: Party;
    },
  ) =>
    `${approved ? "Allow" : "Forbid"} ${partyText(operator)} to take ${
      approved ? "every item" : "any item"
    } of ${partyText(collection)} that ${partyText(owner)} has on ${call.chain}, if it is a collection${
      byAndValue(call)
    }`,
  /** `selector` is undefined if there are fewer than four bytes. */
  unknownCall: (
    { selector, contract, chain, amount, count }: Called & {
      readonly selector: string | undefined;
      readonly contract: Party;
      readonly amount: string;
      readonly count: number;
    },
  ) =>
    `Call ${selector === undefined ? "" : `function ${selector} of `}${partyText(contract)} on ${chain} ` +
    `with ${amount} and ${count} bytes. What that does is not known here`,
  /** Bytes behind the arguments. `attribution` has the codes of an ERC-8021 suffix, without quotation marks. */
  followedBy: (
    { sentence, ofAll, count, attribution }: {
      readonly sentence: string;
      /** True for a list of calls. */
      readonly ofAll: boolean;
      readonly count: number;
      readonly attribution: string | undefined;
    },
  ) =>
    `${sentence}, ${ofAll ? "all of it " : ""}followed by ${
      attribution === undefined
        ? `${count} bytes that are no argument`
        : `the attribution “${attribution}” (ERC-8021)`
    }`,
  creation: (
    { count, creator, chain, amount }: Called & {
      readonly count: number;
      readonly creator: Party;
      readonly amount: string;
    },
  ) =>
    `Create a new contract from ${count} bytes of code by ${partyText(creator)} on ${chain}, ` +
    `and give it ${amount}. What the code does is not known here`,
  /** `delegates` are the codes of included authorizations, if any. */
  transaction: (
    { what, fee, delegates, hasDataFee }: {
      readonly what: string;
      readonly fee: string;
      readonly delegates: string | undefined;
      readonly hasDataFee: boolean;
    },
  ) =>
    `${what}. Gas costs ${fee} at most${hasDataFee ? "; a fee for data comes on top" : ""}.${
      delegates === undefined
        ? ""
        : ` It also carries authorizations of accounts to run the code of ${delegates}.`
    }`,
  /** `code` is undefined if the account removes its code. */
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
        ? `Let ${partyText(account)} no longer run the code of another contract on ${chain}`
        : `Let ${partyText(account)} run the code of ${
          partyText(code)
        } as its own on ${chain}, which can then do everything with it`
    }. Anyone can carry it out while the account's nonce is ${nonce}.`,

  // The changes of Safes.
  /** `refund` is a separate sentence, if any. */
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
  delegateCall: ({ code, count }: Called & { readonly code: Party; readonly count: number }) =>
    `Run the code of ${partyText(code)} as its own, with ${count} bytes. ` +
    "That can do anything with the account, and what it does is not known here",
  /** Undefined `receiver` means the sender of the transaction. */
  gasRefund: (
    { receiver, fixed, price }: {
      readonly receiver: Party | undefined;
      readonly fixed: string;
      readonly price: string;
    },
  ) =>
    `The Safe also pays ${
      receiver === undefined ? "the account that carries it out" : partyText(receiver)
    } for gas: up to ${fixed} however little it uses, and up to ${price} for each unit that it uses.`,
  enableModule: ({ module, ...change }: Changing & { readonly module: Party }) =>
    `${make(change)} obey the module ${partyText(module)}, ` +
    "which can do everything with it without any signature",
  disableModule: ({ module, ...change }: Changing & { readonly module: Party }) =>
    `${make(change)} no longer obey the module ${partyText(module)}`,
  addOwner: (
    { owner, threshold, ...change }: Changing & { readonly owner: Party; readonly threshold: string },
  ) => `${make(change)} add ${partyText(owner)} as an owner and require ${threshold} signatures`,
  removeOwner: (
    { owner, threshold, ...change }: Changing & { readonly owner: Party; readonly threshold: string },
  ) => `${make(change)} remove ${partyText(owner)} as an owner and require ${threshold} signatures`,
  swapOwner: ({ old, owner, ...change }: Changing & { readonly old: Party; readonly owner: Party }) =>
    `${make(change)} replace the owner ${partyText(old)} with ${partyText(owner)}`,
  changeThreshold: ({ threshold, ...change }: Changing & { readonly threshold: string }) =>
    `${make(change)} require ${threshold} signatures`,
  setGuard: ({ guard, ...change }: Changing & { readonly guard: Party }) =>
    `${make(change)} let the guard ${partyText(guard)} decide what may be done`,
  setFallbackHandler: ({ handler, ...change }: Changing & { readonly handler: Party }) =>
    `${make(change)} use ${partyText(handler)} as its fallback handler`,

  // The effects of texts and bytes.
  textMessage: ({ text, ...what }: MayBeHash & { readonly text: string }) =>
    `Sign the text ${text}.${hint(what)}`,
  bytesMessage: ({ count, ...what }: MayBeHash & { readonly count: number }) =>
    count === 0
      ? "Sign an empty message. It says nothing."
      : `Sign ${count} bytes as a personal message. Their meaning cannot be shown.${hint(what)}`,
  rawBytes: ({ count }: { readonly count: number }) =>
    `Sign the hash of ${count} bytes. Their meaning cannot be shown.`,
  bareDigest: "Sign 32 bytes as they are. Their meaning cannot be shown.",
  signIn: (
    { domain, account, until }: {
      readonly domain: string;
      /** Undefined if it is the signing key. */
      readonly account: Party | undefined;
      readonly until: string | undefined;
    },
  ) =>
    `Sign in to ${domain} as ${account === undefined ? "this key" : partyText(account)}${
      until === undefined ? "" : `, until ${until}`
    }.`,
  /** `abilities` and `resource` are unchanged texts. */
  abilitiesAt: ({ abilities, resource }: { readonly abilities: string; readonly resource: string }) =>
    `${abilities} at ${resource}`,

  /** Reasons why bytes may mean something else, as the rest of a sentence about "these bytes". */
  rlpList: "they are an RLP list, as a legacy transaction is",
  typedEnvelope:
    "they are a byte up to 0x7f and an RLP list, as a typed transaction or an authorization is (EIP-2718, EIP-7702)",
  typedPrefix:
    "they begin with 0x01 to 0x05, as a typed transaction or an authorization does (EIP-2718, EIP-3074, EIP-7702)",
  validatorData: "they begin with 0x1900, as data for a validator does (EIP-191)",
  typedDataPrefix: "they begin with 0x1901, as typed data does (EIP-712)",
  personalMessagePrefix: "they begin with 0x19, as a personal message does (EIP-191)",
  userOperationHash: "they are laid out as what a user operation's hash is made of (ERC-4337)",
  conflux: 'they are "cfx", a byte and an RLP list, as a transaction of Conflux is (CIP-1559)',
  cosmosSignDoc: "they begin as the protobuf of a transaction of Cosmos does (SignDoc)",
  cosmosJson: "they begin as the JSON of a transaction of Cosmos does (StdSignDoc)",

  // The messages of descriptors (ERC-7730).
  /** A text that is already in every language. */
  each: ({ en }: { readonly en: string; readonly de: string }) => en,
  several: ({ parts }: { readonly parts: readonly string[] }) => parts.join(", "),
  joined: ({ parts }: { readonly parts: readonly string[] }) => parts.join(""),
  /** The author's intent and the shown values, if there is no sentence with placeholders. */
  summary: ({ intent, values }: { readonly intent: string; readonly values: readonly string[] }) =>
    [intent, values.join("; ")].filter(Boolean).join(": "),
  labelled: ({ label, value }: { readonly label: string; readonly value: string }) => `${label}: ${value}`,
  nothing: "nothing",
  blockHeight: ({ height }: { readonly height: string }) => `block ${height}`,
  atChain: ({ party, chain }: { readonly party: Party; readonly chain: string }) =>
    `${partyText(party)} on ${chain}`,
  itemOf: ({ id, collection }: { readonly id: string; readonly collection: Party }) =>
    `item ${id} of ${partyText(collection)}`,
  unitsOfUnknownToken: ({ amount }: { readonly amount: string }) =>
    `${amount} units of a token that is not named`,
  /** An amount at which the author uses another text: "all USDC". */
  mostOf: ({ message, symbol }: { readonly message: string; readonly symbol: string }) =>
    `${message} ${symbol}`,
  mostOfUnknown: ({ message, address }: { readonly message: string; readonly address: string }) =>
    `${message} units of ${address} (decimals unknown)`,
  describedDocument: (
    { sentence, contract, chain }: {
      readonly sentence: string;
      readonly contract: Party;
      readonly chain: string;
    },
  ) => `${sentence}. For ${partyText(contract)} on ${chain}.`,
  describedCall: (
    { sentence, contract, chain, amount }: {
      readonly sentence: string;
      readonly contract: Party;
      readonly chain: string;
      readonly amount: string;
    },
  ) => `${sentence}. By ${partyText(contract)} on ${chain}, with ${amount}`,

  // The warnings: one sentence each, without the period.
  notThisKey: (
    { what, address, signer }: { readonly what: Subject; readonly address: string; readonly signer: string },
  ) => `${SUBJECTS[what]} ${address} is not this key (${signer})`,
  unknownContract: ({ what, address }: { readonly what: Subject; readonly address: string }) =>
    `${SUBJECTS[what]} ${address} is not known here`,
  unknownChain: ({ chainId }: { readonly chainId: string }) =>
    `Chain ${chainId} is not among those known here`,
  notUnderstood: (
    { what, contract }: { readonly what: NotUnderstood; readonly contract: Party | undefined },
  ) => NOT_UNDERSTOOD[what](contract === undefined ? "any program" : partyText(contract)),
  anyoneMaySpend: ({ what, address }: { readonly what: Subject; readonly address: string }) =>
    `${SUBJECTS[what]} ${address} does what anyone asks of it: everyone can use this allowance`,
  controlChange: ({ what, address }: { readonly what: Subject; readonly address: string }) =>
    `${SUBJECTS[what]} ${address} changes who controls the account`,
  signaturesRequired: ({ threshold }: { readonly threshold: string }) =>
    threshold === "1"
      ? "One signature (1) is then enough for everything that the account can do"
      : `The account then requires ${threshold} signatures`,
  nothingReturns: "Something is given, and nothing of it comes back to the account",
  hasPassed: ({ what, at }: Timed) => `${TIMES[what]} has passed: ${at}`,
  overYearAway: ({ what, at }: Timed) => `${TIMES[what]} is over a year away: ${at}`,
  overMonthAway: ({ what, at }: Timed) => `${TIMES[what]} is over 30 days away: ${at}`,
  permitForEver: "The permit can be used forever",
  maySpend: ({ spender, amount }: { readonly spender: string; readonly amount: string }) =>
    `${spender} may spend ${amount}`,
  mayTake: ({ spender, amount }: { readonly spender: string; readonly amount: string }) =>
    `${spender} may take ${amount}`,
  mayTakeItems: ({ operator, collection }: { readonly operator: string; readonly collection: string }) =>
    `${operator} may take every item of ${collection}, now and later`,
  runsForeignCode: ({ account, code }: { readonly account: Party; readonly code: Party }) =>
    `The account ${partyText(account)} runs the code of ${partyText(code)} as its own`,
  /** Undefined `receiver` means the sender of the transaction. */
  paysUnmeasuredGas: (
    { receiver, fixed }: { readonly receiver: Party | undefined; readonly fixed: string },
  ) =>
    `The Safe pays ${
      receiver === undefined ? "the account that carries it out" : partyText(receiver)
    } up to ${fixed} for gas that is not measured`,
  unreadArguments: ({ signature }: { readonly signature: string }) =>
    `The function is ${signature}, but what follows is not exactly its arguments: ` +
    "the contract may still carry it out",
  givesAway: ({ back }: { readonly back: string }) => `The order gives something away, and ${back}`,
  /** Undefined `account` means that none is named. */
  malformedSignIn: ({ site, account }: { readonly site: string; readonly account: Party | undefined }) =>
    `This looks like a sign-in to ${site}${
      account === undefined ? "" : ` as ${partyText(account)}`
    }, but it is not one: a program may still accept it`,
  siteIsNotHost: ({ domain, uri }: { readonly domain: string; readonly uri: string }) =>
    `The site ${domain} is not the host of the URI ${uri}`,
  siteIsNotAsking: ({ domain, asking }: { readonly domain: string; readonly asking: string }) =>
    `The site ${domain} is not the one that asks: ${asking}`,
  listedCapabilities:
    "This is more than a sign-in: the owner of the URI may do what is listed in the account's name",
  unreadCapabilities:
    "This is more than a sign-in: it lets the owner of the URI do something that cannot be read here",
  allChains: "It is good on every chain where the account has that nonce",
  lookAgain: ({ reason }: { readonly reason: string }) => `Look at these bytes again: ${reason}`,
  noContract: "It is bound to no contract: any program may accept it as its own",
  highFee: ({ fee }: { readonly fee: string }) => `Gas can cost ${fee}`,
};
