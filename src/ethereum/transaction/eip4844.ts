import { checkFees } from "./eip1559.ts";
import { type Envelope, sealedWithParity } from "./envelope.ts";
import { byteString, checked, listOf } from "./member.ts";
import { ACCESS_LIST, CHAIN_ID, DATA, GAS_LIMIT, NONCE, PRICE, RECIPIENT, VALUE } from "./members.ts";
import { refuse } from "./transaction-reading.ts";
import { tableOf } from "./struct.ts";
import type { Eip4844Transaction } from "./transaction.ts";

/** The first byte of the hash of a KZG commitment (VERSIONED_HASH_VERSION_KZG). */
const KZG = 0x01;

const BLOB_VERSIONED_HASHES = checked(listOf(byteString(32)), (reading, hashes) => {
  if (hashes.length === 0) refuse(reading, "A blob transaction has at least one blob");
  const strange = hashes.findIndex((hash) => hash[0] !== KZG);
  if (strange >= 0) refuse(reading, "A versioned hash of a blob begins with 0x01", strange);
});

/**
 * Type 3: a transaction with blobs (EIP-4844). Only the blobs' hashes are signed; blobs, commitments and proofs are
 * refused. Does not check how many blobs a chain accepts.
 */
export const EIP4844: Envelope<Eip4844Transaction> = {
  type: "eip4844",
  lead: Uint8Array.of(3),
  table: tableOf({
    chainId: CHAIN_ID,
    nonce: NONCE,
    maxPriorityFeePerGas: PRICE,
    maxFeePerGas: PRICE,
    gasLimit: GAS_LIMIT,
    to: RECIPIENT,
    value: VALUE,
    data: DATA,
    accessList: ACCESS_LIST,
    maxFeePerBlobGas: PRICE,
    blobVersionedHashes: BLOB_VERSIONED_HASHES,
  }),
  unsignedTail: [],
  sealed: sealedWithParity,
  check: checkFees,
  nested: "The transaction includes its sidecar: send it without, because the blobs are not signed",
};
