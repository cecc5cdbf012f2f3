import { abiFunction, alongWords, type Call, type CalledFor, type CallKind } from "./call.ts";
import { chainName, findToken } from "./directory.ts";
import type { Asset } from "./intent.ts";
import type { PlainStruct } from "./plain.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  amountField,
  type IntentContext,
  isUnlimited,
  largest,
  ownerWarnings,
  tokenWords,
  warning,
} from "./words.ts";

/**
 * The functions of ERC-20. Two of them are ERC-721's as well: what is not among the known tokens may be a collection,
 * and the number one of its items.
 */
export const ERC20_CALLS: readonly CallKind[] = [
  { called: abiFunction("transfer(address to,uint256 amount)"), read: readTransfer },
  { called: abiFunction("transferFrom(address from,address to,uint256 amount)"), read: readTransfer },
  { called: abiFunction("approve(address spender,uint256 amount)"), read: readApprove },
  { called: abiFunction("increaseAllowance(address spender,uint256 amount)"), read: readIncrease },
];

interface Transfer {
  readonly from?: string;
  readonly to: string;
  readonly amount: string;
}

interface Approve {
  readonly spender: string;
  readonly amount: string;
}

/** What a sentence about a contract ends in that may be no token at all. */
function proviso(context: IntentContext, { chainId, to }: Call): string {
  return findToken(context.directory, chainId, to) === undefined ? `, if ${to} is a token` : "";
}

function assetOf(context: IntentContext, { chainId, to }: Call, isShared: "shared" | "own"): Asset {
  const isKnown = findToken(context.directory, chainId, to) !== undefined;
  return { standard: isKnown || isShared === "own" ? "erc20" : "token", address: to, id: null };
}

/** An amount, or where the contract may be a collection, the item that the number would be. */
function countWords(
  context: IntentContext,
  { chainId, to }: Call,
  amount: bigint,
  isShared: "shared" | "own",
  without?: bigint,
): string {
  const words = tokenWords(context, chainId, to, amount, without);
  const mayBeItem = isShared === "shared" && findToken(context.directory, chainId, to) === undefined;
  return mayBeItem ? `${words}, or its item ${amount}` : words;
}

function readTransfer(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { from = call.caller, to, amount: value } = given as unknown as Transfer;
  const isShared = given.from === undefined ? "own" : "shared";
  const amount = BigInt(value);
  const words = countWords(context, call, amount, isShared);
  const { chainId } = call;
  return {
    kind: "token_call",
    recognisedBy: "ERC-20",
    words: `Send ${words} from ${addressWords(context, chainId, from)} to ${
      addressWords(context, chainId, to)
    } on ${chainName(chainId)}${proviso(context, call)}${alongWords(call)}`,
    fields: [
      addressField(context, "Token", chainId, call.to),
      addressField(context, "From", chainId, from),
      addressField(context, "To", chainId, to),
      amountField("Amount", words, amount),
    ],
    effects: [{
      effect: "transfer",
      from,
      to,
      asset: { ...assetOf(context, call, isShared), amount: value },
      until: null,
    }],
    warnings: [
      ...(from === call.caller ? [] : ownerWarnings(context, "The sender", from)),
      ...addressWarnings(context, "The token", chainId, call.to),
    ],
  };
}

function readApprove(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { spender, amount: value } = given as unknown as Approve;
  const amount = BigInt(value);
  const words = countWords(context, call, amount, "shared", largest(256));
  return allowance(call, context, {
    spender,
    amount,
    words: `${amount === largest(256) ? "" : "up to "}${words}`,
    verb: "spend",
    isShared: "shared",
  });
}

/** Not of the standard but of OpenZeppelin's tokens: it adds to what is allowed already. */
function readIncrease(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { spender, amount: value } = given as unknown as Approve;
  const amount = BigInt(value);
  const words = countWords(context, call, amount, "own", largest(256));
  return allowance(call, context, { spender, amount, words, verb: "spend another", isShared: "own" });
}

function allowance(
  call: Call,
  context: IntentContext,
  { spender, amount, words, verb, isShared }: {
    spender: string;
    amount: bigint;
    words: string;
    verb: string;
    isShared: "shared" | "own";
  },
): CalledFor {
  const { chainId, caller } = call;
  return {
    kind: "token_call",
    recognisedBy: "ERC-20",
    words: `Allow ${addressWords(context, chainId, spender)} to ${verb} ${words} from ${
      addressWords(context, chainId, caller)
    } on ${chainName(chainId)}${proviso(context, call)}${alongWords(call)}`,
    fields: [
      addressField(context, "Token", chainId, call.to),
      addressField(context, "Spender", chainId, spender),
      amountField("Amount", words, amount),
    ],
    effects: [{
      effect: "allowance",
      owner: caller,
      spender,
      asset: assetOf(context, call, isShared),
      amount: amount === largest(256) ? null : amount.toString(),
      until: null,
    }],
    warnings: [
      ...(isUnlimited(amount) ? [warning("unlimited_allowance", `${spender} may spend ${words}`)] : []),
      ...addressWarnings(context, "The token", chainId, call.to),
      ...addressWarnings(context, "The spender", chainId, spender),
    ],
  };
}
