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
