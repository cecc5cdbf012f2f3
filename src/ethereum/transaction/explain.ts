import { toHex } from "../../lib/bytes.ts";
import { envelopeOf } from "./envelopes.ts";
import type { Json } from "./member.ts";
import { serializeUnsigned } from "./serialize.ts";
import { showMembers } from "./struct.ts";
import type { Transaction } from "./transaction.ts";

/** The gas of one blob (EIP-4844, GAS_PER_BLOB). */
const GAS_PER_BLOB = 131_072n;

/** A transaction to sign, as plain JSON. */
export interface TransactionExplanation {
  /** The members under the names that `readTransaction` takes, with `type`. It can be sent as it is shown. */
  readonly transaction: Readonly<Record<string, Json>>;
  /** The bytes whose hash is signed, in 0x-hex. */
  readonly unsigned: string;
  /** The most that gas can cost, in wei and decimal digits. Excludes the value. */
  readonly maximumFee: string;
}

export function explainTransaction(transaction: Transaction): TransactionExplanation {
  return {
    transaction: {
      type: transaction.type,
      ...showMembers(transaction, envelopeOf(transaction.type).table),
    },
    unsigned: toHex(serializeUnsigned(transaction)),
    maximumFee: maximumFee(transaction).toString(),
  };
}

/** Returns the most that the transaction's gas can cost, in wei. Includes its blobs and excludes its value. */
export function maximumFee(transaction: Transaction): bigint {
  const price = "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas;
  const fee = transaction.gasLimit * price;
  if (transaction.type !== "eip4844") return fee;
  return fee + transaction.maxFeePerBlobGas * GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length);
}

/** Returns the function selector of a call (Solidity ABI). Undefined for creations and for data under four bytes. */
export function selectorOf(transaction: Transaction): Uint8Array | undefined {
  const { to, data } = transaction;
  return to === null || data.length < 4 ? undefined : data.subarray(0, 4);
}
