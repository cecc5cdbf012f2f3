/** An address and storage slots that a transaction declares to access (EIP-2930). */
export interface AccessListEntry {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[];
}

/** The members of every transaction, within the limits of their standards. Amounts are in wei. */
interface TransactionBase {
  /** From 1 to 2^63 - 37 (EIP-2294). Transactions without a chain id are refused (EIP-155). */
  readonly chainId: bigint;
  /** From 0 to 2^64 - 2 (EIP-2681). */
  readonly nonce: bigint;
  /** Below 2^64. */
  readonly gasLimit: bigint;
  /** Below 2^256. */
  readonly value: bigint;
  /** The call's data, or the code that creates a contract. May be empty. */
  readonly data: Uint8Array;
}

/** The 20-byte recipient, or null if the transaction creates a contract. */
interface MayCreate {
  readonly to: Uint8Array | null;
}

/** The 20-byte recipient, in the types that cannot create a contract. */
interface MustCall {
  readonly to: Uint8Array;
}

/** The price of a unit of gas in wei, below 2^256. */
interface GasPrice {
  readonly gasPrice: bigint;
}

/** The maximum price of a unit of gas, and the block proposer's maximum share. The share never exceeds the price. */
interface GasFees {
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
}

interface HasAccessList {
  readonly accessList: readonly AccessListEntry[];
}

/** The transaction without a type, always for one chain (EIP-155). */
export interface LegacyTransaction extends TransactionBase, MayCreate, GasPrice {
  readonly type: "legacy";
}

/** Type 1: with an access list (EIP-2930). */
export interface Eip2930Transaction extends TransactionBase, MayCreate, GasPrice, HasAccessList {
  readonly type: "eip2930";
}

/** Type 2: with a fee market (EIP-1559). */
export interface Eip1559Transaction extends TransactionBase, MayCreate, GasFees, HasAccessList {
  readonly type: "eip1559";
}

/** Type 3: with blobs (EIP-4844). Excludes the blobs themselves. */
export interface Eip4844Transaction extends TransactionBase, MustCall, GasFees, HasAccessList {
  readonly type: "eip4844";
  /** Below 2^256. */
  readonly maxFeePerBlobGas: bigint;
  /** At least one. Each has 32 bytes and begins with 0x01. */
  readonly blobVersionedHashes: readonly Uint8Array[];
}

/** Type 4: sets the code of accounts that authorized it (EIP-7702). */
export interface Eip7702Transaction extends TransactionBase, MustCall, GasFees, HasAccessList {
  readonly type: "eip7702";
  /** At least one. The signer of the transaction may differ from those of the authorizations. */
  readonly authorizationList: readonly SignedAuthorization[];
}

/** An unsigned transaction with checked members. */
export type Transaction =
  | LegacyTransaction
  | Eip2930Transaction
  | Eip1559Transaction
  | Eip4844Transaction
  | Eip7702Transaction;

export type TransactionType = Transaction["type"];

/** An account's permission to run the code of another address as its own (EIP-7702). */
export interface Authorization {
  /** From 1 to 2^63 - 37. 0 means every chain and occurs only in authorizations signed elsewhere. */
  readonly chainId: bigint;
  /** The 20-byte address whose code the account runs. 20 zero bytes revoke the permission. */
  readonly address: Uint8Array;
  /** The account's nonce when it takes effect, 0 to 2^64 - 2 (EIP-2681). */
  readonly nonce: bigint;
}

/** An authorization in a transaction. Its signature is not verified. */
export interface SignedAuthorization extends Authorization {
  readonly yParity: 0 | 1;
  /** From 1 to the order of secp256k1, exclusive. */
  readonly r: bigint;
  /** From 1 to half the order of secp256k1 (EIP-2). */
  readonly s: bigint;
}
