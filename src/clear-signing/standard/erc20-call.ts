import { type Localizable, localizable } from "../format-message.ts";
import { abiFunction, type Call, type CalledFor, type CallKind, contractCallText } from "../call.ts";
import { findToken } from "../directory.ts";
import type { Asset } from "../intent.ts";
import type { PlainStruct } from "../abi.ts";
import { readMembers } from "../roles.ts";
import { amountField, type IntentContext, largest, partyAt, tokenText } from "../parties.ts";

/** The functions of ERC-20. ERC-721 shares two: an unknown token may be a collection, and the amount an item. */
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

/** Adds the contract's address if it may be no token. */
function tokenCallText(
  call: Call,
  context: IntentContext,
): ReturnType<typeof contractCallText> & { readonly unknown: string | undefined } {
  const isKnown = findToken(context.directory, call.chainId, call.to) !== undefined;
  return { ...contractCallText(call, context), unknown: isKnown ? undefined : call.to };
}

function assetOf(context: IntentContext, { chainId, to }: Call, isShared: "shared" | "own"): Asset {
  const isKnown = findToken(context.directory, chainId, to) !== undefined;
  return { standard: isKnown || isShared === "own" ? "erc20" : "token", address: to, id: null };
}

/** Formats an amount. If the contract may be a collection, also formats the item that the number would be. */
function allowanceText(
  context: IntentContext,
  { chainId, to }: Call,
  amount: bigint,
  isShared: "shared" | "own",
  without?: bigint,
): Localizable {
  const text = tokenText(context, chainId, to, amount, without);
  const mayBeItem = isShared === "shared" && findToken(context.directory, chainId, to) === undefined;
  return mayBeItem ? localizable("orItem", { amount: text, id: amount.toString() }) : text;
}

function readTransfer(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { from = call.caller, to, amount: value } = given as unknown as Transfer;
  const isShared = given.from === undefined ? "own" : "shared";
  const amount = BigInt(value);
  const text = allowanceText(context, call, amount, isShared);
  const { chainId } = call;
  return {
    kind: "token_call",
    recognisedBy: "ERC-20",
    text: localizable("tokenTransfer", {
      ...tokenCallText(call, context),
      amount: text,
      from: partyAt(context, chainId, from),
      to: partyAt(context, chainId, to),
    }),
    ...readMembers(context, chainId, [
      ["token", call.to],
      ["sender", from],
      ["recipient", to],
      amountField("amountLabel", text, amount),
    ], call.caller),
    effects: [{
      effect: "transfer",
      from,
      to,
      asset: { ...assetOf(context, call, isShared), amount: value },
      until: null,
    }],
  };
}

function readApprove(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { spender, amount: value } = given as unknown as Approve;
  const amount = BigInt(value);
  const text = allowanceText(context, call, amount, "shared", largest(256));
  return allowance(call, context, {
    spender,
    amount,
    text: amount === largest(256) ? text : localizable("upTo", { amount: text }),
    adds: false,
    isShared: "shared",
  });
}

/** Reads a function of OpenZeppelin's tokens, not of the standard. It adds to the current allowance. */
function readIncrease(call: Call, given: PlainStruct, context: IntentContext): CalledFor {
  const { spender, amount: value } = given as unknown as Approve;
  const amount = BigInt(value);
  const text = allowanceText(context, call, amount, "own", largest(256));
  return allowance(call, context, { spender, amount, text, adds: true, isShared: "own" });
}

function allowance(
  call: Call,
  context: IntentContext,
  { spender, amount, text, adds, isShared }: {
    spender: string;
    amount: bigint;
    text: Localizable;
    adds: boolean;
    isShared: "shared" | "own";
  },
): CalledFor {
  const { chainId, caller } = call;
  return {
    kind: "token_call",
    recognisedBy: "ERC-20",
    text: localizable("tokenAllowance", {
      ...tokenCallText(call, context),
      spender: partyAt(context, chainId, spender),
      amount: text,
      adds,
      owner: partyAt(context, chainId, caller),
    }),
    ...readMembers(context, chainId, [
      ["token", call.to],
      ["spender", spender],
      ["allowance", { spender, amount, text }],
    ]),
    effects: [{
      effect: "allowance",
      owner: caller,
      spender,
      asset: assetOf(context, call, isShared),
      amount: amount === largest(256) ? null : amount.toString(),
      until: null,
    }],
  };
}
