import { keccak256 } from "../keccak.ts";
import type { RecoverableSignature } from "../signature.ts";
import { partsOf } from "./envelope.ts";
import { envelopeOf } from "./envelopes.ts";
import { encodeRlp } from "./rlp.ts";
import { writeItems } from "./struct.ts";
import type { Transaction } from "./transaction.ts";

/** Returns the bytes whose hash is signed, as other programs exchange them. */
export function serializeUnsigned(transaction: Transaction): Uint8Array<ArrayBuffer> {
  const { lead, table, unsignedTail } = envelopeOf(transaction.type);
  return encodeRlp([...writeItems(transaction, table), ...unsignedTail], lead);
}

export function transactionDigest(transaction: Transaction): Uint8Array<ArrayBuffer> {
  return keccak256(serializeUnsigned(transaction));
}

/** Returns the transaction as a node accepts it. Does not check that the signature is over the transaction's digest. */
export function serializeSigned(
  transaction: Transaction,
  signature: RecoverableSignature,
): Uint8Array<ArrayBuffer> {
  const { lead, table, sealed } = envelopeOf(transaction.type);
  return encodeRlp(sealed(writeItems(transaction, table), transaction, partsOf(signature)), lead);
}
