/** Why the vault does not open. */
export type VaultRefusalCode =
  /** The TEE gave no sealing key, or one that cannot be one. Nothing was written. */
  | "sealing_key_unavailable"
  /** The database was sealed under another key. Nothing was written. */
  | "wrong_sealing_key"
  /** The database has rows but no sealed seed. Nothing was written. */
  | "seed_missing"
  /** The seed was to be sealed anew under the key that it is sealed under already. Nothing was written. */
  | "same_sealing_key"
  /** Somebody else replaced the sealed seed meanwhile. Nothing was written. */
  | "seed_replaced"
  /** The sealed seed is of an unknown version or was changed. */
  | "seed_damaged";

/** The vault refuses to open, and with it the service to start. The message is for the operator and holds no secret. */
export class VaultRefusal extends Error {
  readonly code: VaultRefusalCode;

  constructor(code: VaultRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "VaultRefusal";
    this.code = code;
  }
}

/** Sealed bytes do not open: changed, of another purpose or other additional data, or sealed under another key. */
export class SealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SealError";
  }
}
