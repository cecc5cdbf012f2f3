/** The reason why the vault does not open. */
export type VaultRefusalCode =
  /** The TEE returned no sealing key or an invalid one. Nothing was written. */
  | "sealing_key_unavailable"
  /** The database was sealed with another key. Nothing was written. */
  | "wrong_sealing_key"
  /** The database has rows but no sealed seed. Nothing was written. */
  | "seed_missing"
  /** The seed does not authenticate the slot of this key, or the slot is not in the set. Nothing was written. */
  | "slot_refused"
  /** The sealed seed has an unknown version or was altered. */
  | "seed_damaged";

/** The vault does not open, so the service does not start. The message is for the operator and holds no secret. */
export class VaultRefusal extends Error {
  readonly code: VaultRefusalCode;
  /** The slots and what each source gave, if no slot opened. Part of the message. */
  readonly detail: string | undefined;

  constructor(
    code: VaultRefusalCode,
    message: string,
    { detail, ...options }: ErrorOptions & { readonly detail?: string } = {},
  ) {
    super(detail === undefined ? message : `${message}; ${detail}`, options);
    this.name = "VaultRefusal";
    this.code = code;
    this.detail = detail;
  }
}

/** Sealed bytes that do not open: altered, or sealed with another key, purpose or additional data. */
export class SealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SealError";
  }
}
