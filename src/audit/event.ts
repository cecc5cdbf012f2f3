import type { ClientType, TokenAlgorithm } from "../db/oauth-schema.ts";
import type { BlindSigning } from "../db/schema.ts";
import type { AuthorityKind } from "../vault/authority.ts";

type Nothing = Readonly<Record<string, never>>;

/**
 * Every kind of event, and what it says beyond when, whose account and which thing. No member may hold a secret, an
 * address of a person or what was signed: the log outlives them.
 */
export interface AuditDetails {
  readonly account_created: Nothing;
  readonly passkey_added: Nothing;
  readonly signed_in: { readonly passkeyId: string };
  /** `reason` is the code of the check that failed. */
  readonly sign_in_refused: { readonly reason: string };
  readonly signed_out: Nothing;
  readonly key_generated: { readonly keyIndex: number };
  readonly key_labelled: Nothing;
  readonly key_archived: Nothing;
  readonly key_unarchived: Nothing;
  readonly blind_signing_changed: { readonly to: BlindSigning };
  /** `digest` is the 32 bytes that were signed, 0x-hex. */
  readonly message_signed: { readonly format: string; readonly digest: string };
  readonly typed_data_signed: { readonly digest: string };
  readonly client_registered: { readonly type: ClientType };
  /** `members` are the names of what changed, separated by commas. */
  readonly client_changed: { readonly members: string };
  readonly client_disabled: Nothing;
  readonly client_enabled: Nothing;
  readonly client_secret_rotated: Nothing;
  /** `grants` is how many grants ended with it. */
  readonly client_deleted: { readonly grants: number };
  readonly consent_given: { readonly scope: string };
  readonly consent_withdrawn: Nothing;
  readonly authorization_denied: Nothing;
  /** A code was issued; the subject is the grant. */
  readonly grant_started: { readonly clientId: string };
  readonly code_redeemed: { readonly clientId: string };
  readonly grant_refreshed: { readonly clientId: string };
  readonly grant_ended: { readonly clientId: string; readonly reason: GrantEnd };
  readonly token_key_made: { readonly algorithm: TokenAlgorithm };
  /** The root seed moved from one sealing key to another: their ids. */
  readonly seed_resealed: { readonly from: string; readonly to: string };
  /** A row that grants authority and was not written by the service. */
  readonly row_rejected: { readonly kind: AuthorityKind };
}

/** Why a grant ended before its time. */
export type GrantEnd =
  | "withdrawn"
  | "code_replayed"
  | "refresh_token_reused"
  | "revoked"
  | "too_many";

export type AuditEventName = keyof AuditDetails;

/** Something that happened, to be recorded in the transaction in which it does. */
export type AuditEvent = {
  readonly [E in AuditEventName]: {
    readonly event: E;
    readonly accountId: string | null;
    /** What it happened to: the id of a key, passkey, session or row. */
    readonly subject: string | null;
    readonly detail: AuditDetails[E];
  };
}[AuditEventName];
