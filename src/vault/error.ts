/** The reason why the vault does not open. */
export type VaultRefusalCode =
  /** The TEE returned no sealing key or an invalid one. Nothing was written. */
  | "sealing_key_unavailable"
  /** The database was sealed with another key. Nothing was written. */
  | "wrong_sealing_key"
  /** The database has rows but no sealed seed. Nothing was written. */
  | "seed_missing"
  /** The old and the new sealing key of a reseal are the same. Nothing was written. */
  | "same_sealing_key"
  /** Another process replaced the sealed seed meanwhile. Nothing was written. */
  | "seed_replaced"
  /** The sealed seed has an unknown version or was altered. */
  | "seed_damaged";

/** The vault does not open, so the service does not start. The message is for the operator and holds no secret. */
export class VaultRefusal extends Error {
  readonly code: VaultRefusalCode;

  constructor(code: VaultRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "VaultRefusal";
    this.code = code;
  }
}

/** Sealed bytes that do not open: altered, or sealed with another key, purpose or additional data. */
export class SealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SealError";
  }
}
