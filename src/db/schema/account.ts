import { added, authenticated, bytes, column, integer, mutable, nullable, text, time } from "./column.ts";

/** The proof that a recovery was started with. */
export type RecoveryMethod = "code_and_email" | "email" | "code";

/** The proof that an account's address is the user's. */
export type EmailProof = "code" | "provider";

export const ACCOUNT_TABLES = {
  /** A user account. `id` is also the WebAuthn user handle. */
  account: authenticated(1, {
    id: text,
    /** Lower case, as `accounts/email/email-address.ts` normalises it. */
    email: nullable(text),
    /** The proof of the address: a code that this service mailed, or another provider's word; null without one. */
    email_proved_by: nullable(column<EmailProof>()),
    name: nullable(text),
    /** BCP 47 tag of the language of pages and mails. */
    language: text,
    created_at: time,
    /** The time at which an administrator disabled it; null while enabled. */
    disabled_at: nullable(time),
    /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
    revision: nullable(integer),
    /** The time of the last change of address, name or language; null before the first. */
    updated_at: added(time),
  }),

  /** A link from an identity at another provider to an account. It selects the account; it does not sign in. */
  identity: authenticated(1, {
    id: text,
    issuer: text,
    /** The permanent identifier at that issuer, never an address. */
    subject: text,
    account_id: text,
    created_at: time,
  }),

  /** A WebAuthn credential record (Level 3 section 4). */
  passkey: authenticated(1, {
    id: text,
    account_id: text,
    credential_id: bytes,
    /** The COSE key exactly as the authenticator sent it. */
    public_key: bytes,
    algorithm: integer,
    aaguid: text,
    backup_eligible: integer,
    backed_up: mutable(integer, "a wrong hint to the owner"),
    sign_count: mutable(integer, "a copied authenticator goes unnoticed, or the owner is refused"),
    name: mutable(text, "a misleading name in the owner's list"),
    /** JSON array of WebAuthn transport names. */
    transports: mutable(text, "a worse hint to the browser"),
    created_at: time,
    last_used_at: mutable(nullable(time), "a wrong time in the owner's list"),
    /** JSON of the challenges that it answered last (`answered-challenges.ts`); null before the first. */
    answered: added(text),
  }),

  /** A deleted passkey, kept to tell a person who still uses it that it was deleted. `id` is the passkey's. */
  removed_passkey: authenticated(1, {
    id: text,
    account_id: text,
    credential_id: bytes,
    public_key: bytes,
    algorithm: integer,
    backup_eligible: integer,
    sign_count: integer,
    created_at: time,
  }),

  /** A change of an account's address that its old address can revert. Consumed by deletion. */
  email_change: authenticated(1, {
    id: text,
    /** SHA-256 of the secret in the link sent to the old address, base64url. */
    secret_hash: text,
    account_id: text,
    /** Reserved: no other account gets it while the row exists. */
    old_email: text,
    old_email_proved_by: nullable(column<EmailProof>()),
    new_email: text,
    created_at: time,
    expires_at: time,
  }),

  /** A pending deletion of an account. A sign-in deletes this row instead. */
  account_deletion: authenticated(1, {
    id: text,
    account_id: text,
    created_at: time,
    due_at: time,
  }),
};

export const RECOVERY_TABLES = {
  /** An account's recovery: its settings, the pending recovery and the cooldown after one. */
  account_recovery: authenticated(1, {
    account_id: text,
    /** Increases with every change that the audit log records, which exposes a restored old row. */
    revision: integer,
    /** The delay of recoveries started from now on. */
    delay_hours: integer,
    /** 1 if an email code can start a recovery without a recovery code, else 0. */
    email_alone: integer,
    /** The revision at which the recovery codes were created; null without codes. */
    generation: nullable(integer),
    /** Bit mask of the unused codes. */
    unused_mask: integer,
    codes_made_at: nullable(time),
    /** The pending recovery. This column and those down to `observed_at_start` are null without one. */
    recovery_id: nullable(text),
    method: nullable(column<RecoveryMethod>()),
    /** Base64url SHA-256 of the secret of the browser that started it. */
    secret_hash: nullable(text),
    /** The hash of the recovery code, if it was started by code alone. */
    code_hash: nullable(text),
    /** Device and network prefix that it was started from. */
    device: nullable(text),
    network: nullable(text),
    begun_at: nullable(time),
    /** The period in which a new passkey can be created. */
    ready_at: nullable(time),
    ends_at: nullable(time),
    /** The value of `observed_ms` when the recovery started. */
    observed_at_start: nullable(integer),
    /**
     * The end of the cooldown after a recovery, during which security settings cannot be weakened; null without one.
     */
    cooldown_ends_at: nullable(time),
    /** The value that `observed_ms` must reach before the cooldown ends. */
    observed_at_cooldown_end: nullable(integer),
    /**
     * Milliseconds of observed running time while a recovery or cooldown was pending. Measured with a monotonic clock,
     * so that setting the system clock does not shorten a delay.
     */
    observed_ms: integer,
    /** The time of the next owner notification, or of the end of the cooldown; null without either. */
    next_check_at: mutable(
      nullable(time),
      "a daily mail is held back, as by deleting it, or sent once more; a delay takes longer",
    ),
  }),

  /** A recovery code. It can be used once, while its bit is set in the account's row. */
  recovery_code: authenticated(1, {
    /** MAC under a vault key, base64url. */
    code_hash: text,
    account_id: text,
    generation: integer,
    /** From 0. */
    number: integer,
    created_at: time,
  }),
};
