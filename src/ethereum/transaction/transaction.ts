/** An address whose code and listed slots a transaction warms up (EIP-2930). */
export interface AccessListEntry {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[];
}

/** What every transaction says. Amounts are in wei; what is larger than its standard allows is never here. */
interface TransactionBase {
  /** 1 to 2^63 - 37 (EIP-2294). There is none without (EIP-155). */
  readonly chainId: bigint;
  /** 0 to 2^64 - 2 (EIP-2681). */
  readonly nonce: bigint;
  /** Below 2^64. */
  readonly gasLimit: bigint;
  /** Below 2^256. */
  readonly value: bigint;
  /** What the recipient is called with, or the code that makes a contract. May be empty. */
  readonly data: Uint8Array;
}

/** Who is called: 20 bytes, or null where the transaction makes a contract. */
interface MayCreate {
  readonly to: Uint8Array | null;
}

/** Who is called, in the types that make no contract: 20 bytes. */
interface MustCall {
  readonly to: Uint8Array;
}

/** What a unit of gas costs, below 2^256. */
interface GasPrice {
  readonly gasPrice: bigint;
}

/** What a unit of gas costs at most, and how much of it may go to the block's proposer: never more than all of it. */
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

/** Type 3: with blobs (EIP-4844), which themselves are never part of it here. */
export interface Eip4844Transaction extends TransactionBase, MustCall, GasFees, HasAccessList {
  readonly type: "eip4844";
  /** Below 2^256. */
  readonly maxFeePerBlobGas: bigint;
  /** At least one; 32 bytes each, the first being 0x01. */
  readonly blobVersionedHashes: readonly Uint8Array[];
}

/** Type 4: sets the code of accounts that have agreed to it (EIP-7702). */
export interface Eip7702Transaction extends TransactionBase, MustCall, GasFees, HasAccessList {
  readonly type: "eip7702";
  /** At least one. Whoever signs the transaction need not be who signed these. */
  readonly authorizationList: readonly SignedAuthorization[];
}

/** A transaction that has not been signed, and of which every member has been checked. */
export type Transaction =
  | LegacyTransaction
  | Eip2930Transaction
  | Eip1559Transaction
  | Eip4844Transaction
  | Eip7702Transaction;

export type TransactionType = Transaction["type"];

/** An account's leave to run the code of another address as its own (EIP-7702). */
export interface Authorization {
  /** The chain it is for, 1 to 2^63 - 37; 0 stands for every chain and occurs only in what others have signed. */
  readonly chainId: bigint;
  /** 20 bytes: whose code the account runs from then on; 20 zero bytes take the leave back. */
  readonly address: Uint8Array;
  /** The account's nonce when it takes effect, 0 to 2^64 - 2 (EIP-2681). */
  readonly nonce: bigint;
}

/** An authorization as a transaction carries it. Not checked: who signed it. */
export interface SignedAuthorization extends Authorization {
  readonly yParity: 0 | 1;
  /** From 1 to below the order of secp256k1. */
  readonly r: bigint;
  /** From 1 to half the order of secp256k1 (EIP-2). */
  readonly s: bigint;
}
