import { toHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../address.ts";
import { maximumFee } from "../transaction/explain.ts";
import type { Transaction } from "../transaction/transaction.ts";
import type { Call, CalledFor } from "./call.ts";
import { describeCall } from "./calls.ts";
import { delegateWarnings } from "./delegation.ts";
import { chainName, currencyOf } from "./directory.ts";
import type { Intent, IntentField, IntentWarning } from "./intent.ts";
import {
  addressField,
  addressWords,
  amountField,
  bytesField,
  chainField,
  chainWarnings,
  distinct,
  type IntentContext,
  listWords,
  nativeWords,
  warning,
} from "./words.ts";

/** Gas for more than this is worth a second look, in units of 10^18 by currency: about what a person would notice. */
const HIGH_FEES: Readonly<Record<string, bigint>> = { ETH: 10n ** 17n, BNB: 10n ** 17n };
const HIGH_FEE = 10n ** 19n;

/** What a transaction of the key does, with what its gas can cost. */
export function transactionIntent(transaction: Transaction, context: IntentContext): Intent {
  const chainId = transaction.chainId.toString();
  const to = transaction.to === null ? null : toChecksumAddress(transaction.to);
  const { signer: caller } = context;
  const { value } = transaction;
  const data = toHex(transaction.data);
  const what = to === null
    ? creation(context, { chainId, caller, value, data })
    : describeCall({ chainId, caller, to, value, data }, context);
  const fee = maximumFee(transaction);
  return {
    kind: what.kind,
    recognisedBy: what.recognisedBy,
    sentence: `${what.words}. Gas costs ${nativeWords(chainId, fee)} at most.${delegationWords(transaction)}`,
    chainId,
    contract: to,
    fields: [
      ...what.fields,
      amountField("Gas costs at most", nativeWords(chainId, fee), fee),
      chainField(chainId),
      ...delegationFields(transaction, context),
    ],
    effects: what.effects,
    warnings: distinct([
      ...what.warnings,
      ...delegationWarnings(transaction, context),
      ...feeWarnings(chainId, fee),
      ...chainWarnings(chainId),
    ]),
  };
}

function creation(context: IntentContext, { chainId, caller, value, data }: Omit<Call, "to">): CalledFor {
  const words = nativeWords(chainId, value);
  return {
    kind: "contract_creation",
    recognisedBy: "the transaction itself",
    words: `Make a new contract from ${data.length / 2 - 1} bytes of code by ${
      addressWords(context, chainId, caller)
    } on ${chainName(chainId)}, and give it ${words}. What the code does is not known here`,
    fields: [amountField("Amount", words, value), bytesField("Code", data)],
    effects: [{ effect: "create", value: value.toString() }],
    warnings: [],
  };
}

function feeWarnings(chainId: string, fee: bigint): IntentWarning[] {
  const bound = HIGH_FEES[currencyOf(chainId)] ?? HIGH_FEE;
  return fee > bound ? [warning("high_fee", `Gas can cost ${nativeWords(chainId, fee)}`)] : [];
}

function delegatesOf(transaction: Transaction): readonly string[] {
  return transaction.type === "eip7702"
    ? transaction.authorizationList.map(({ address }) => toChecksumAddress(address))
    : [];
}

/** The authorizations of others that a transaction carries (EIP-7702); whose they are is not looked for. */
function delegationWords(transaction: Transaction): string {
  const delegates = delegatesOf(transaction);
  if (delegates.length === 0) return "";
  return ` It also carries authorizations of accounts to run the code of ${listWords(delegates)}.`;
}

function delegationFields(transaction: Transaction, context: IntentContext): IntentField[] {
  const chainId = transaction.chainId.toString();
  return delegatesOf(transaction).map((delegate) => addressField(context, "Code of", chainId, delegate));
}

function delegationWarnings(transaction: Transaction, context: IntentContext): IntentWarning[] {
  const chainId = transaction.chainId.toString();
  return delegatesOf(transaction).flatMap((delegate) => delegateWarnings(context, chainId, delegate));
}
