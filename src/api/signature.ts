import * as v from "valibot";
import { toChecksumAddress } from "../ethereum/address.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { encodeSignature } from "../ethereum/signature.ts";
import { serializeSigned } from "../ethereum/transaction/serialize.ts";
import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import type { CheckedSignRequest } from "../keys/digest.ts";
import type { SignedDigest } from "../keys/sign.ts";
import { toHex } from "../lib/bytes.ts";
import { Address, Bytes32, Count, Hex, type Of, Signature } from "./value.ts";

function toMessageJson({ key, signature, digest }: SignedDigest): Of<typeof SignedTypedData> {
  const address = toChecksumAddress(key.address);
  return { signature: encodeSignature(signature), address, digest: toHex(digest) };
}

export function toSignedJson(
  request: CheckedSignRequest,
  signed: SignedDigest,
): Of<typeof Signed> {
  switch (request.kind) {
    case "message":
      return { ...toMessageJson(signed), format: request.format };
    case "typed_data":
      return toMessageJson(signed);
    case "transaction":
      return toTransactionJson(request.transaction, signed);
    case "authorization":
      return toAuthorizationJson(request.authorization, signed);
  }
}

/** Returns r and s with all 32 bytes each. */
function toSignatureJson(
  { compact, recovery }: SignedDigest["signature"],
): Pick<Of<typeof SignedTransaction>, "r" | "s" | "yParity"> {
  return { r: toHex(compact.subarray(0, 32)), s: toHex(compact.subarray(32)), yParity: recovery };
}

function toTransactionJson(
  transaction: Transaction,
  { key, signature }: SignedDigest,
): Of<typeof SignedTransaction> {
  const serialized = serializeSigned(transaction, signature);
  return {
    serializedTransaction: toHex(serialized),
    hash: toHex(keccak256(serialized)),
    ...toSignatureJson(signature),
    from: toChecksumAddress(key.address),
  };
}

function toAuthorizationJson(
  { chainId, address, nonce }: Authorization,
  { signature }: SignedDigest,
): Of<typeof SignedAuthorization> {
  return {
    chainId: toExactJson(chainId),
    address: toChecksumAddress(address),
    nonce: toExactJson(nonce),
    ...toSignatureJson(signature),
  };
}

/** Returns a JSON number, as libraries expect, or decimal digits past 2^53 - 1. */
function toExactJson(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

const signed = { signature: Signature, address: Address, digest: Bytes32 };

export const SignedMessage = v.strictObject({
  ...signed,
  format: v.picklist(["personal_sign", "raw", "digest"]),
});

export const SignedTypedData = v.strictObject(signed);

const parts = { r: Bytes32, s: Bytes32, yParity: v.picklist([0, 1]) };

export const SignedTransaction = v.strictObject({
  serializedTransaction: v.pipe(Hex, v.description("The signed transaction, as a node accepts it")),
  hash: v.pipe(Bytes32, v.description("The transaction's hash")),
  ...parts,
  from: Address,
});

/** A JSON number, or decimal digits past 2^53 - 1. */
const ExactInteger = v.union([Count, v.pipe(v.string(), v.regex(/^[0-9]+$/))]);

/** The response of `sign-authorization`, as `authorizationList` takes it. */
export const SignedAuthorization = v.strictObject({
  chainId: ExactInteger,
  address: Address,
  nonce: ExactInteger,
  ...parts,
});

export const Signed = v.union([SignedMessage, SignedTypedData, SignedTransaction, SignedAuthorization]);
