import { SignTypedDataVersion, TypedDataUtils } from "@metamask/eth-sig-util";
import { TypedDataEncoder } from "ethers";
import { hashTypedData as viemHash } from "viem";
import { hashTypedData, parseTypedData } from "../../src/ethereum/typed-data/typed-data.ts";
import { toHex } from "../../src/lib/bytes.ts";

export function ourDigest(document: unknown): string {
  return toHex(hashTypedData(parseTypedData(document)).digest);
}

/** The digests of other libraries, called as documented and without changing the document first. */
export const LIBRARIES: Readonly<Record<"viem" | "ethers" | "eth-sig-util", (document: never) => string>> = {
  viem: viemHash,
  // ethers finds the primary type itself and rejects EIP712Domain.
  ethers: (document) => {
    const { EIP712Domain: _, ...types } = (document as { types: Record<string, never> }).types;
    return TypedDataEncoder.hash(document["domain"], types, document["message"]);
  },
  "eth-sig-util": (document) => toHex(TypedDataUtils.eip712Hash(document, SignTypedDataVersion.V4)),
};
