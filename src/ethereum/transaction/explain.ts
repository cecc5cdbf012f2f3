import { toHex } from "../../lib/bytes.ts";
import { envelopeOf } from "./envelopes.ts";
import type { Json } from "./member.ts";
import { serializeUnsigned } from "./serialize.ts";
import { showMembers } from "./struct.ts";
import type { Transaction } from "./transaction.ts";

/** Gas of one blob (EIP-4844, GAS_PER_BLOB). */
const GAS_PER_BLOB = 131_072n;

/** What signing a transaction would sign, as plain JSON. */
export interface TransactionExplanation {
  /** The members under the names that `readTransaction` takes, with `type`: what is shown can be sent. */
  readonly transaction: Readonly<Record<string, Json>>;
  /** 0x-hex of the bytes whose hash is signed. */
  readonly unsigned: string;
  /** The most that gas can cost, in wei and decimal digits; the value is not in it. */
  readonly maximumFee: string;
}

/**
 * Says what signing the transaction would sign. Integers are in decimal digits, addresses have their checksum, bytes
 * are 0x-hex. Nothing is said of what the data does.
 */
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

/** The most that the transaction's gas can cost, in wei: what its blobs may cost is part of it, its value is not. */
export function maximumFee(transaction: Transaction): bigint {
  const price = "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas;
  const fee = transaction.gasLimit * price;
  if (transaction.type !== "eip4844") return fee;
  return fee + transaction.maxFeePerBlobGas * GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length);
}

/** The first four bytes of a call's data, which name a function (Solidity ABI); undefined where there is no such call. */
export function selectorOf(transaction: Transaction): Uint8Array | undefined {
  const { to, data } = transaction;
  return to === null || data.length < 4 ? undefined : data.subarray(0, 4);
}
