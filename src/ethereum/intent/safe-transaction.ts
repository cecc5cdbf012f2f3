import { describeCall } from "./calls.ts";
import { chainName } from "./directory.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  bytesField,
  chainField,
  chainWarnings,
  type IntentContext,
  nativeWords,
  numberField,
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
  return {
    kind: "safe_transaction",
    recognisedBy: "Safe",
    sentence: `Agree, for the Safe ${contract} on ${
      chainName(chainId)
    }, to its transaction ${nonce}: ${what.words}.${refundWords(context, chainId, transaction)}`,
    chainId,
    contract,
    fields: [
      addressField(context, "Safe", chainId, contract),
      numberField("Transaction", nonce),
      ...what.fields,
      chainField(chainId),
    ],
    effects: what.effects,
    warnings: [...what.warnings, ...chainWarnings(chainId)],
  };
}

type What = Pick<Intent, "fields" | "effects" | "warnings"> & { readonly words: string };

/** The code of another contract with the Safe's own rights: it can do anything, take the owners' place included. */
function delegateCall(
  context: IntentContext,
  chainId: string,
  safe: string,
  { to, value, data }: SafeTx,
): What {
  const words = addressWords(context, chainId, to);
  return {
    words: `Run the code of ${words} as its own, with ${data.length / 2 - 1} bytes. ` +
      "That can do anything with the Safe, and what it does is not known here",
    fields: [addressField(context, "Code of", chainId, to), bytesField("Data", data)],
    effects: [{
      effect: "call",
      caller: safe,
      to,
      operation: "delegate_call",
      value,
      selector: data.length < 10 ? null : data.slice(0, 10),
    }],
    warnings: [
      warning("delegate_call", `The Safe runs the code of ${words} as its own`),
      ...addressWarnings(context, "The code", chainId, to),
    ],
  };
}

/** With a gas price, the Safe pays whoever carries the transaction out, or whom the transaction names. */
function refundWords(
  context: IntentContext,
  chainId: string,
  { gasPrice, gasToken, refundReceiver }: SafeTx,
): string {
  if (gasPrice === "0") return "";
  const price = gasToken === ZERO_ADDRESS
    ? nativeWords(chainId, BigInt(gasPrice))
    : tokenWords(context, chainId, gasToken, BigInt(gasPrice));
  const receiver = refundReceiver === ZERO_ADDRESS
    ? "whoever carries it out"
    : addressWords(context, chainId, refundReceiver);
  return ` The Safe also pays ${receiver} for the gas, up to ${price} for each unit of it.`;
}
