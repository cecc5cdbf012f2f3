import { type Said, say } from "../words/said.ts";
import { describeCall } from "./calls.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  amountField,
  bytesField,
  chainField,
  chainWarnings,
  chainWords,
  type IntentContext,
  nativeWords,
  numberField,
  partyAt,
  tokenWords,
  warning,
  ZERO_ADDRESS,
} from "./words.ts";

interface SafeTx {
  readonly to: string;
  readonly value: string;
  readonly data: string;
  readonly operation: string;
  readonly baseGas: string;
  readonly gasPrice: string;
  readonly gasToken: string;
  readonly refundReceiver: string;
  readonly nonce: string;
}

/** A transaction of a Safe since 1.3.0, whose domain is its chain and the Safe itself, without names. */
export const SAFE_TRANSACTION: TypedDataKind = {
  encodeTypes: [
    "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas," +
    "uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)",
  ],
  read,
};

function read({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = placeOf(domain);
  if (place === undefined || domain.name !== undefined || domain.version !== undefined) return undefined;
  const { chainId, contract } = place;
  const transaction = message as unknown as SafeTx;
  const { to, data, operation, nonce } = transaction;
  if (operation !== "0" && operation !== "1") return undefined;
  const value = BigInt(transaction.value);
  const what = operation === "0"
    ? describeCall({ chainId, caller: contract, to, value, data }, context)
    : delegateCall(context, chainId, contract, transaction);
  const refund = refundOf(context, chainId, transaction);
  return {
    kind: "safe_transaction",
    recognisedBy: "Safe",
    sentence: say("safeTransaction", {
      safe: contract,
      chain: chainWords(chainId),
      nonce,
      what: what.words,
      refund: refund?.words,
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "safe", chainId, contract),
      numberField("transactionLabel", nonce),
      ...what.fields,
      ...(refund?.fields ?? []),
      chainField(chainId),
    ],
    effects: what.effects,
    warnings: [...what.warnings, ...(refund?.warnings ?? []), ...chainWarnings(chainId)],
  };
}

type What = Pick<Intent, "fields" | "effects" | "warnings"> & { readonly words: Said };

/** The code of another contract with the Safe's own rights: it can do anything, take the owners' place included. */
function delegateCall(
  context: IntentContext,
  chainId: string,
  safe: string,
  { to, value, data }: SafeTx,
): What {
  const code = partyAt(context, chainId, to);
  return {
    words: say("delegateCall", { code, count: data.length / 2 - 1 }),
    fields: [addressField(context, "codeOf", chainId, to), bytesField("data", data)],
    effects: [{
      effect: "call",
      caller: safe,
      to,
      operation: "delegate_call",
      value,
      selector: data.length < 10 ? null : data.slice(0, 10),
    }],
    warnings: [
      warning("delegate_call", say("runsForeignCode", { code })),
      ...addressWarnings(context, "code", chainId, to),
    ],
  };
}

/** What is paid for unmeasured gas at the most without a warning: what a Safe with many owners adds is well below. */
const MOST_BASE_GAS = 1_000_000n;
const MOST_UNMEASURED = 10n ** 17n;

/**
 * What the Safe pays for gas beside what it does: `baseGas` is a number of the transaction's own, and nobody measures
 * it.
 */
function refundOf(
  context: IntentContext,
  chainId: string,
  { baseGas, gasPrice, gasToken, refundReceiver }: SafeTx,
): Omit<What, "effects"> | undefined {
  if (gasPrice === "0") return undefined;
  const unmeasured = BigInt(baseGas) * BigInt(gasPrice);
  const isNative = gasToken === ZERO_ADDRESS;
  const words = (amount: bigint): Said =>
    isNative ? nativeWords(chainId, amount) : tokenWords(context, chainId, gasToken, amount);
  const fixed = words(unmeasured);
  const receiver = refundReceiver === ZERO_ADDRESS ? undefined : partyAt(context, chainId, refundReceiver);
  // A price in the chain's own currency is bounded by what the transaction itself pays, one in a token by nothing.
  const isPlain = isNative && BigInt(baseGas) <= MOST_BASE_GAS && unmeasured <= MOST_UNMEASURED;
  return {
    words: say("gasRefund", { receiver, fixed, price: words(BigInt(gasPrice)) }),
    fields: [amountField("gasFixed", fixed, unmeasured)],
    warnings: isPlain ? [] : [warning("gas_refund", say("paysUnmeasuredGas", { receiver, fixed }))],
  };
}
