import { type Localizable, localizable } from "../format-message.ts";
import { findToken } from "../directory.ts";
import { allowanceEffect, type Asset } from "../intent.ts";
import type { PlainStruct } from "../abi.ts";
import { type Member, readMembers } from "../roles.ts";
import { PERMIT2 } from "../registry/contracts.ts";
import { permit2UntilText } from "./permit2.ts";
import {
  abiFunction,
  type Call,
  type CalledFor,
  type CallKind,
  callText,
  contractCallText,
} from "../call.ts";
import { amountField, type IntentContext, largest, partyAt, tokenText } from "../parties.ts";

/** The properties of a function, if they are not those of most functions. */
interface Form {
  /** True if ERC-721 has the function too: an unknown token may be a collection, and the amount an item. */
  readonly isShared?: true;
  /** The change of the current allowance. */
  readonly change?: "adds" | "takes";
  /** Permit2 has a function of its own, for every token. Its amounts have 160 bits. */
  readonly isPermit2?: true;
}

export interface Given {
  readonly token?: string;
  readonly from?: string;
  readonly owner?: string;
  readonly to?: string;
  readonly spender?: string;
  readonly amount?: string;
  /** Everything or nothing (DAI's permit). */
  readonly allowed?: boolean;
  readonly deadline?: string;
  readonly expiration?: string;
}

const SIGNED = "uint256 validAfter,uint256 validBefore,bytes32 nonce";
const VRS = "uint8 v,bytes32 r,bytes32 s";

/** The functions of ERC-20 and of what extends it: ERC-1363, ERC-2612, ERC-3009, OpenZeppelin's and Permit2. */
export const ERC20_CALLS: readonly CallKind[] = [
  transfer("transfer(address to,uint256 amount)"),
  transfer("transferFrom(address from,address to,uint256 amount)", { isShared: true }),
  transfer("transferAndCall(address to,uint256 amount)"),
  transfer("transferAndCall(address to,uint256 amount,bytes data)"),
  transfer("transferFromAndCall(address from,address to,uint256 amount)"),
  transfer("transferFromAndCall(address from,address to,uint256 amount,bytes data)"),
  transfer(`transferWithAuthorization(address from,address to,uint256 amount,${SIGNED},${VRS})`),
  transfer(`transferWithAuthorization(address from,address to,uint256 amount,${SIGNED},bytes signature)`),
  transfer(`receiveWithAuthorization(address from,address to,uint256 amount,${SIGNED},${VRS})`),
  transfer("transferFrom(address from,address to,uint160 amount,address token)", { isPermit2: true }),
  allowance("approve(address spender,uint256 amount)", { isShared: true }),
  allowance("approveAndCall(address spender,uint256 amount)"),
  allowance("approveAndCall(address spender,uint256 amount,bytes data)"),
  allowance("increaseAllowance(address spender,uint256 amount)", { change: "adds" }),
  allowance("increaseApproval(address spender,uint256 amount)", { change: "adds" }),
  allowance("decreaseAllowance(address spender,uint256 amount)", { change: "takes" }),
  allowance("decreaseApproval(address spender,uint256 amount)", { change: "takes" }),
  allowance(`permit(address owner,address spender,uint256 amount,uint256 deadline,${VRS})`),
  allowance(`permit(address owner,address spender,uint256 nonce,uint256 deadline,bool allowed,${VRS})`),
  allowance("approve(address token,address spender,uint160 amount,uint48 expiration)", { isPermit2: true }),
];

/** The token and the amount that a function moves or allows. */
interface Subject {
  readonly token: string;
  readonly isKnown: boolean;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly text: Localizable;
  /** The amount that means no limit. */
  readonly most: bigint;
}

function transfer(text: string, form: Form = {}): CallKind {
  return kind(text, form, readTransfer);
}

function allowance(text: string, form: Form = {}): CallKind {
  return kind(text, form, readAllowance);
}

type Read = (call: Call, given: Given, context: IntentContext, form: Form) => CalledFor;

function kind(text: string, form: Form, read: Read): CallKind {
  return {
    called: abiFunction(text),
    read: (call, given: PlainStruct, context) =>
      form.isPermit2 === true && call.to !== PERMIT2
        ? undefined
        : read(call, given as unknown as Given, context, form),
  };
}

function subjectOf(
  call: Call,
  { token = call.to, allowed, ...given }: Given,
  context: IntentContext,
  { isShared, isPermit2 }: Form,
  isAllowance: "allowance" | "transfer",
): Subject {
  const most = largest(isPermit2 === true ? 160 : 256);
  const amount = given.amount === undefined ? (allowed === true ? most : 0n) : BigInt(given.amount);
  const isKnown = findToken(context.directory, call.chainId, token) !== undefined;
  const mayBeItem = isShared === true && !isKnown;
  const text = tokenText(
    context,
    call.chainId,
    token,
    amount,
    isAllowance === "allowance" ? most : undefined,
  );
  return {
    token,
    isKnown,
    asset: { standard: mayBeItem ? "token" : "erc20", address: token, id: null },
    amount,
    text: mayBeItem ? localizable("orItem", { amount: text, id: amount.toString() }) : text,
    most,
  };
}

/** Returns the parameters of a token's message. Adds the contract's address if it may be no token. */
function tokenCallText(
  call: Call,
  context: IntentContext,
  { isKnown }: Subject,
  { isPermit2 }: Form,
): ReturnType<typeof contractCallText> & { readonly unknown: string | undefined } {
  return { ...contractCallText(call, context), unknown: isKnown || isPermit2 === true ? undefined : call.to };
}

/** Reads a transfer. `to` is required. */
export function readTransfer(call: Call, given: Given, context: IntentContext, form: Form): CalledFor {
  const from = given.from ?? call.caller;
  const to = given.to!;
  const subject = subjectOf(call, given, context, form, "transfer");
  const { token, isKnown, asset, amount, text } = subject;
  const { chainId } = call;
  return {
    kind: "token_call",
    recognisedBy: form.isPermit2 === true ? "Permit2" : "ERC-20",
    text: localizable("tokenTransfer", {
      ...tokenCallText(call, context, subject, form),
      amount: text,
      from: partyAt(context, chainId, from),
      to: partyAt(context, chainId, to),
    }),
    ...readMembers(context, chainId, [
      ["token", token],
      ["sender", from],
      ["recipient", to],
      amountField("amountLabel", text, amount),
    ], call.caller),
    effects: [{
      effect: "transfer",
      from,
      to,
      asset: { ...asset, amount: amount.toString() },
      until: null,
    }],
    effectsComplete: isKnown,
  };
}

/** Reads an allowance, also one of nothing, which takes back. `spender` is required. */
export function readAllowance(call: Call, given: Given, context: IntentContext, form: Form): CalledFor {
  const { owner = call.caller, deadline, expiration = null } = given;
  const spender = given.spender!;
  const subject = subjectOf(call, given, context, form, "allowance");
  const { token, isKnown, asset, amount, text, most } = subject;
  const { chainId } = call;
  const isLess = form.change === "takes";
  const isNone = amount === 0n && asset.standard === "erc20" && form.change === undefined;
  const parties = { spender: partyAt(context, chainId, spender), owner: partyAt(context, chainId, owner) };
  const ends: readonly Member[] = [
    ...(deadline === undefined
      ? []
      : [[given.allowed === undefined ? "permit_end" : "dai_permit_end", BigInt(deadline)] as const]),
    ...(expiration === null ? [] : [["allowance_end", BigInt(expiration)] as const]),
  ];
  return {
    kind: "token_call",
    recognisedBy: form.isPermit2 === true ? "Permit2" : "ERC-20",
    text: isNone
      ? localizable("takeBack", {
        ...parties,
        ...callText(call, context),
        token: partyAt(context, chainId, token),
      })
      : localizable("tokenAllowance", {
        ...tokenCallText(call, context, subject, form),
        ...parties,
        amount: amount === most || form.change !== undefined ? text : localizable("upTo", { amount: text }),
        change: form.change ?? "sets",
        permit2: expiration === null ? undefined : permit2UntilText(expiration),
      }),
    ...readMembers(context, chainId, [
      ["token", token],
      ...(owner === call.caller ? [] : [["owner", owner] as const]),
      [isNone || isLess ? "former_spender" : "spender", spender],
      ...(isLess ? [amountField("lessBy", text, amount)] : [
        ["allowance", { spender, amount, text, adds: form.change === "adds" }] as const,
      ]),
      ...ends,
    ], call.caller),
    effects: isLess ? [] : [allowanceEffect({
      owner,
      spender,
      asset,
      amount,
      most,
      adds: form.change === "adds",
      until: expiration,
    })],
    effectsComplete: isKnown,
  };
}
