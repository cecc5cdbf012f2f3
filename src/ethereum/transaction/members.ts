import { ADDRESS, bytesOf, byteString, integer, listOf, type Member } from "./member.ts";
import { refuse } from "./transaction-reading.ts";
import { structOf } from "./struct.ts";
import type { AccessListEntry } from "./transaction.ts";

const UINT64 = 2n ** 64n - 1n;
const UINT256 = 2n ** 256n - 1n;

/** The largest chain id whose legacy `v` fits 64 bits (EIP-2294). */
export const LARGEST_CHAIN_ID = UINT64 / 2n - 36n;

export const CHAIN_ID: Member<bigint> = {
  ...integer(1n, LARGEST_CHAIN_ID),
  whenMissing: "without it the signature would be valid on every chain (EIP-155)",
};

const NO_CHAIN = "the service does not query a chain for it";

/** The limit is one less than 64 bits hold (EIP-2681). */
export const NONCE: Member<bigint> = { ...integer(0n, UINT64 - 1n), whenMissing: NO_CHAIN };

/** JSON-RPC calls it `gas`. */
export const GAS_LIMIT: Member<bigint> = {
  ...integer(0n, UINT64),
  alias: "gas",
  whenMissing: NO_CHAIN,
};

/** Wei per unit of gas. */
export const PRICE: Member<bigint> = { ...integer(0n, UINT256), whenMissing: NO_CHAIN };

/** Wei for the recipient; 0 if omitted. */
export const VALUE: Member<bigint> = { ...integer(0n, UINT256), absent: 0n };

/** Empty if omitted. Newer nodes call it `input`. */
export const DATA: Member<Uint8Array> = {
  ...byteString(),
  absent: new Uint8Array(0),
  alias: "input",
};

const NULL_RECIPIENT = "send null to create a contract";

/** The recipient. A transaction that creates a contract has null in JSON and no bytes in RLP. */
export const RECIPIENT_OR_NULL: Member<Uint8Array | null> = {
  fromJson: (reading, value) => value === null ? null : ADDRESS.fromJson(reading, value),
  fromRlp: (reading, item) => bytesOf(reading, item).length === 0 ? null : ADDRESS.fromRlp(reading, item),
  toRlp: (value) => value ?? new Uint8Array(0),
  toJson: (value) => value === null ? null : ADDRESS.toJson(value),
  whenMissing: NULL_RECIPIENT,
};

/** The recipient, in the types that cannot create a contract. */
export const RECIPIENT: Member<Uint8Array> = {
  ...ADDRESS,
  fromJson: (reading, value) => {
    if (value === null) {
      refuse(reading, "Transactions of this type cannot create a contract: expected an address");
    }
    return ADDRESS.fromJson(reading, value);
  },
};

/** The access list of EIP-2930; empty if omitted. The same address or key may occur twice. */
export const ACCESS_LIST: Member<readonly AccessListEntry[]> = {
  ...listOf(structOf<AccessListEntry>({ address: ADDRESS, storageKeys: listOf(byteString(32)) })),
  absent: [],
};
