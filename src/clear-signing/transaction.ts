import { toHex } from "../lib/bytes.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import { maximumFee } from "../ethereum/transaction/explain.ts";
import type { Transaction } from "../ethereum/transaction/transaction.ts";
import { localizable } from "./format-message.ts";
import type { Call, CalledFor } from "./call.ts";
import { describeCall } from "./known-calls.ts";
import { findChain } from "./registry/chains.ts";
import type { Intent } from "./intent.ts";
import { notUnderstood } from "./not-understood.ts";
import { feeWarnings } from "./fee.ts";
import { readMembers } from "./roles.ts";
import {
  amountField,
  bytesField,
  chainText,
  distinct,
  type IntentContext,
  listText,
  nativeText,
  partyAt,
} from "./parties.ts";

/** Describes a transaction of the key, with its maximum gas cost. */
export function transactionIntent(transaction: Transaction, context: IntentContext): Intent {
  const chainId = transaction.chainId.toString();
  const to = transaction.to === null ? null : toChecksumAddress(transaction.to);
  const { signer: caller } = context;
  const { value } = transaction;
  const data = toHex(transaction.data);
  const what = to === null
    ? creation(context, { chainId, caller, value, data })
    : describeCall({ chainId, caller, to, value, data, operation: "call" }, context);
  const fee = maximumFee(transaction);
  const delegates = delegatesOf(transaction);
  const codes = readMembers(context, chainId, delegates.map((delegate) => ["delegate", delegate]));
  const gas = readMembers(context, chainId, [
    amountField("gasMost", nativeText(chainId, fee), fee),
    ...feeWarnings(chainId, fee),
    ["chain", chainId],
  ]);
  return {
    kind: what.kind,
    recognisedBy: what.recognisedBy,
    sentence: localizable("transaction", {
      what: what.text,
      fee: nativeText(chainId, fee),
      delegates: delegates.length === 0 ? undefined : listText(delegates),
      hasDataFee: findChain(chainId)?.isOpStack === true,
    }),
    chainId,
    contract: to,
    fields: [...what.fields, ...gas.fields, ...codes.fields],
    effects: [
      ...what.effects,
      ...delegates.map((delegate) => ({ effect: "delegation" as const, delegate })),
    ],
    effectsComplete: what.effectsComplete && delegates.length === 0,
    gasAtMost: fee.toString(),
    warnings: distinct([...what.warnings, ...codes.warnings, ...gas.warnings]),
  };
}

function creation(
  context: IntentContext,
  { chainId, caller, value, data }: Omit<Call, "to" | "operation">,
): CalledFor {
  const text = nativeText(chainId, value);
  return {
    kind: "contract_creation",
    recognisedBy: localizable("byTransaction"),
    text: localizable("creation", {
      by: "you",
      count: data.length / 2 - 1,
      creator: partyAt(context, chainId, caller),
      chain: chainText(chainId),
      amount: text,
    }),
    fields: [amountField("amountLabel", text, value), bytesField("code", data)],
    effects: [{ effect: "create", value: value.toString() }],
    effectsComplete: false,
    warnings: [notUnderstood(context, chainId, null, "code")],
  };
}

/** Returns the codes of the authorizations in a transaction (EIP-7702). Does not recover which accounts signed them. */
function delegatesOf(transaction: Transaction): readonly string[] {
  return transaction.type === "eip7702"
    ? transaction.authorizationList.map(({ address }) => toChecksumAddress(address))
    : [];
}
