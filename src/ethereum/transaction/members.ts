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
  whenMissing: "without it the signature would hold on every chain (EIP-155)",
};

const NO_CHAIN = "no chain is asked for it";

/** The largest is one less than 64 bits hold (EIP-2681). */
export const NONCE: Member<bigint> = { ...integer(0n, UINT64 - 1n), whenMissing: NO_CHAIN };

/** JSON-RPC calls it `gas`. */
export const GAS_LIMIT: Member<bigint> = {
  ...integer(0n, UINT64),
  alsoCalled: "gas",
  whenMissing: NO_CHAIN,
};

/** Wei, for a unit of gas. */
export const PRICE: Member<bigint> = { ...integer(0n, UINT256), whenMissing: NO_CHAIN };

/** Wei, for the recipient: none where it is left out. */
export const VALUE: Member<bigint> = { ...integer(0n, UINT256), absent: 0n };

/** None where it is left out. `input` is what newer nodes call it. */
export const DATA: Member<Uint8Array> = {
  ...byteString(),
  absent: new Uint8Array(0),
  alsoCalled: "input",
};

const TO_NOBODY = "null, given as such, makes a contract";

/** Who is called, or null in JSON and no bytes in RLP to make a contract. */
export const RECIPIENT_OR_NULL: Member<Uint8Array | null> = {
  fromJson: (reading, value) => value === null ? null : ADDRESS.fromJson(reading, value),
  fromRlp: (reading, item) => bytesOf(reading, item).length === 0 ? null : ADDRESS.fromRlp(reading, item),
  toRlp: (value) => value ?? new Uint8Array(0),
  toJson: (value) => value === null ? null : ADDRESS.toJson(value),
  whenMissing: TO_NOBODY,
};

/** Who is called, in the types that cannot make a contract. */
export const RECIPIENT: Member<Uint8Array> = {
  ...ADDRESS,
  fromJson: (reading, value) => {
    if (value === null) refuse(reading, "Transactions of this type make no contract: expected an address");
    return ADDRESS.fromJson(reading, value);
  },
};

/** The list of EIP-2930, empty where it is left out. The same address or key may stand in it twice. */
export const ACCESS_LIST: Member<readonly AccessListEntry[]> = {
  ...listOf(structOf<AccessListEntry>({ address: ADDRESS, storageKeys: listOf(byteString(32)) })),
  absent: [],
};
