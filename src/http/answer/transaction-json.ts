import { toChecksumAddress } from "../../ethereum/address.ts";
import { keccak256 } from "../../ethereum/keccak.ts";
import type { Authorization } from "../../ethereum/transaction/authorization.ts";
import { serializeSigned } from "../../ethereum/transaction/serialize.ts";
import type { Transaction } from "../../ethereum/transaction/transaction.ts";
import type { SignedDigest } from "../../keys/sign.ts";
import { toHex } from "../../lib/bytes.ts";

/** The parts of a signature as JSON: r and s with all their 32 bytes. */
interface SignatureJson {
  readonly r: string;
  readonly s: string;
  readonly yParity: 0 | 1;
}

function toSignatureJson({ compact, recovery }: SignedDigest["signature"]): SignatureJson {
  return { r: toHex(compact.subarray(0, 32)), s: toHex(compact.subarray(32)), yParity: recovery };
}

/** A signed transaction as the API answers it: what a node takes, its hash and whose it is. */
export function toTransactionJson(
  transaction: Transaction,
  { key, signature }: SignedDigest,
): SignatureJson & { readonly serializedTransaction: string; readonly hash: string; readonly from: string } {
  const serialized = serializeSigned(transaction, signature);
  return {
    serializedTransaction: toHex(serialized),
    hash: toHex(keccak256(serialized)),
    ...toSignatureJson(signature),
    from: toChecksumAddress(key.address),
  };
}

/** A signed authorization as the API answers it, and as `authorizationList` takes it. */
export function toAuthorizationJson(
  { chainId, address, nonce }: Authorization,
  { signature }: SignedDigest,
): SignatureJson & {
  readonly chainId: number | string;
  readonly address: string;
  readonly nonce: number | string;
} {
  return {
    chainId: toExactJson(chainId),
    address: toChecksumAddress(address),
    nonce: toExactJson(nonce),
    ...toSignatureJson(signature),
  };
}

/** A JSON number, as libraries want it, or decimal digits where a number would not be exact. */
function toExactJson(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}
