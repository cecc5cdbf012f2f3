import type { ClientType, TokenAlgorithm } from "../db/schema/oauth.ts";
import type { BlindSigning } from "../db/schema/key.ts";
import type { Instant } from "../lib/time.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { LogFaultReason } from "./log-head.ts";

type Nothing = Readonly<Record<string, never>>;

/**
 * `digest` is the 32 signed bytes, 0x-hex. `by` is the id of the requesting token or grant, if any, and `client` the
 * grant's client. `approvedBy` is the passkey with which the owner approved the request, if needed.
 */
interface SignedFor {
  readonly digest: string;
  readonly by?: string;
  readonly client?: string;
  readonly approvedBy?: string;
}

/** `policy` is the SHA-256 of the new policy's canonical JSON, 0x-hex; absent for none. */
interface PolicySet {
  readonly policy?: string;
}

/** The new version of the account's row. A row with a lower version was restored. */
export interface NewVersion {
  readonly version: number;
}

/**
 * The administrator's authentication: the admin key, or an account that entered the administration pages. `entrance`
 * is the subject of that `administration_entered`, which names the account to the operator only. It is absent if the
 * key was sent with the request.
 */
export interface DoneByAdministrator {
  readonly by: "account" | "admin_key";
  readonly entrance?: string;
}

/**
 * Every event, with its details beyond time, account and subject. No member may hold a secret, a personal address or
 * the signed content, except transaction data that every chain shows: entries are never deleted.
 */
export interface AuditDetails {
  readonly account_created: Nothing;
  /** The account was created with the invitation that is the subject. */
  readonly invitation_used: Nothing;
  /** `kind`: for one address, or for any person with the link. */
  readonly invitation_made: { readonly kind: "address" | "link"; readonly uses: number };
  readonly invitation_withdrawn: { readonly used: number };
  /** `sessions` is the number of sessions that ended with it. */
  readonly account_disabled: NewVersion & DoneByAdministrator & { readonly sessions: number };
  readonly account_enabled: NewVersion & DoneByAdministrator;
  /** An administrator ended every session of the account. */
  readonly sessions_ended_for: DoneByAdministrator & { readonly sessions: number };
  /** A sign-in to the administration pages, by passkey or admin key. The subject is the session there. */
  readonly administration_entered: { readonly by: "account" | "admin_key" };
  /** An identity at this provider was linked to the account. The subject is the link. */
  readonly identity_linked: { readonly issuer: string };
  /** The subject is the link. */
  readonly identity_unlinked: { readonly issuer: string };
  readonly account_renamed: NewVersion;
  /** The owner downloaded all data as a file. The subject is the session. */
  readonly account_exported: Nothing;
  /** The subject is the change, with which the old address can revert it. */
  readonly email_changed: NewVersion;
  /** The old address reverted the change that is the subject, and `later` further ones; `sessions` ended. */
  readonly email_change_taken_back: NewVersion & { readonly later: number; readonly sessions: number };
  /** The account will be deleted at `dueAt`, unless the owner signs in. The subject is the pending deletion. */
  readonly deletion_asked: { readonly dueAt: Instant; readonly sessions: number };
  /** A sign-in, a recovery or a reverted address change cancelled the deletion that is the subject. */
  readonly deletion_stopped: { readonly by: "sign_in" | "recovery" | "old_address" };
  /** All rows of the account were deleted. The subject is the deletion. */
  readonly account_deleted: { readonly keys: number };
  readonly passkey_added: Nothing;
  readonly passkey_renamed: Nothing;
  /** `sessions` is the number of sessions that ended with it. */
  readonly passkey_removed: { readonly sessions: number };
  readonly signed_in: { readonly passkeyId: string };
  /** `reason` is the code of the failed check, `removed_credential` or `account_disabled`. */
  readonly sign_in_refused: { readonly reason: string };
  readonly signed_out: Nothing;
  /** The passkey was used again, for this action. The subject is the session. */
  readonly stepped_up: { readonly action: string; readonly passkeyId: string };
  /**
   * The full recovery state after the event, except what proves who started the recovery. It exposes a restored old
   * row, and a lost row is created again from it. The subject is the recovery, if any.
   */
  readonly recovery_changed: {
    readonly act: RecoveryAct;
    readonly revision: number;
    readonly delayHours: number;
    readonly emailAlone: boolean;
    readonly generation: number | null;
    /** Bit mask of the unused recovery codes. */
    readonly codesLeft: number;
    readonly codesMadeAt: Instant | null;
    /** The period in which the pending recovery lets the user create a passkey. Both null without one. */
    readonly readyAt: Instant | null;
    readonly endsAt: Instant | null;
    /** The end of the cooldown after a recovery; null without one. */
    readonly settledAt: Instant | null;
  };
  /** A user proved the account's address but could not start a recovery. */
  readonly recovery_refused: { readonly reason: "no_code" | "wrong_code" };
  /** `reason` is the code of the failed check. */
  readonly step_up_refused: { readonly action: string; readonly reason: string };
  /** The owner ended the session that is the subject, from this session or another. */
  readonly session_ended: Nothing;
  /** The owner ended several sessions: all `others` than the subject, or `all`. */
  readonly sessions_ended: { readonly which: "others" | "all"; readonly sessions: number };
  readonly key_generated: { readonly keyIndex: number };
  readonly key_labelled: Nothing;
  readonly key_archived: Nothing;
  readonly key_unarchived: Nothing;
  readonly blind_signing_changed: { readonly to: BlindSigning };
  /** The full policy state of the key after the event. It exposes a restored old row. */
  readonly key_policy_changed: {
    readonly keyIndex: number;
    readonly revision: number;
    readonly act: KeyPolicyAct;
    /** Canonical JSON; null allows everything. */
    readonly policy: string | null;
    /** The pending policy, canonical JSON, `null` in JSON for none. Both are null without a pending change. */
    readonly change: string | null;
    readonly changeAt: Instant | null;
  };
  readonly message_signed: SignedFor & { readonly format: string };
  /** `standard` is the recognised standard of its type, if any. */
  readonly typed_data_signed: SignedFor & { readonly standard?: string };
  /**
   * `chainId` and `value` (wei) are decimal. `recipient` has its checksum, and is null for a contract creation.
   * `selector` is the first four bytes of the call data, or null for none.
   */
  readonly transaction_signed: SignedFor & {
    readonly chainId: string;
    readonly recipient: string | null;
    readonly value: string;
    readonly selector: string | null;
  };
  /** The account may run the code of `delegate` as its own on that chain (EIP-7702). */
  readonly authorization_signed: SignedFor & {
    readonly chainId: string;
    readonly delegate: string;
  };
  /** The owner of the key, the subject, was asked for a signature. `by` is the requesting token or grant, if any. */
  readonly signature_asked: { readonly request: string; readonly digest: string; readonly by?: string };
  /** Ended without a signature. `reason` is the problem code if refused. */
  readonly signing_request_ended: {
    readonly request: string;
    readonly how: "declined" | "refused" | "withdrawn";
    readonly reason: string | null;
    readonly by?: string;
  };
  /** `reason` is the code of the failed passkey check. */
  readonly approval_refused: { readonly request: string; readonly reason: string };
  /** `actions` are separated by spaces. The subject is the token. */
  readonly token_created: { readonly actions: string } & PolicySet;
  /** `members` are the names of the changed members, separated by commas. */
  readonly token_changed: { readonly members: string } & PolicySet;
  readonly token_revoked: Nothing;
  readonly client_registered: { readonly type: ClientType };
  /** `members` are the names of the changed members, separated by commas. */
  readonly client_changed: { readonly members: string };
  readonly client_disabled: Nothing;
  readonly client_enabled: Nothing;
  /** `previousUntil` is the expiry of the previous secret; absent if it expired at once. */
  readonly client_secret_rotated: { readonly previousUntil?: Instant };
  /** The previous secret was revoked before its expiry. */
  readonly client_secret_ended: Nothing;
  /** `grants` is the number of grants that ended with it. */
  readonly client_deleted: { readonly grants: number };
  /** `keys` are the ids of the keys that the client may use, separated by spaces; absent for none. */
  readonly consent_given: { readonly scope: string; readonly keys?: string } & PolicySet;
  readonly consent_withdrawn: Nothing;
  readonly authorization_denied: Nothing;
  /** A code was issued. The subject is the grant. */
  readonly grant_started: { readonly clientId: string };
  readonly code_redeemed: { readonly clientId: string };
  readonly grant_refreshed: { readonly clientId: string };
  readonly grant_ended: { readonly clientId: string; readonly reason: GrantEnd };
  readonly token_key_made: { readonly algorithm: TokenAlgorithm };
  /** The ids of the old and the new sealing key. */
  readonly seed_resealed: { readonly from: string; readonly to: string };
  /** A broker issued no nonce. The subject is the workload, if it is known. */
  readonly release_challenge_refused: { readonly reason: ReleaseRefusalReason };
  /** A broker created a workload's sealing key: once per workload. */
  readonly release_key_made: Nothing;
  /** A broker released a workload's sealing key to a quote with these measurements. */
  readonly sealing_key_released: {
    readonly mrTd: string;
    readonly rtmr3: string;
    readonly tcbStatus: string;
  };
  /** `check` is the quote check that failed. */
  readonly release_refused: {
    readonly reason: ReleaseRefusalReason;
    readonly check: string | null;
  };
  /** A row of an authenticated table that the service did not write. */
  readonly row_rejected: { readonly kind: AuthorityKind };
  /** The log has a fault, and recording stopped. `entry` is the number of the faulty entry. */
  readonly log_fault_noticed: {
    readonly reason: LogFaultReason;
    readonly entry: number;
    /** The issue time of the log receipt, if one revealed the fault. */
    readonly issuedAt: Instant | null;
  };
  /**
   * An operator acknowledged that the database was rolled back, or that a part of the log was lost. Shown to all
   * accounts. `until` is the time before which receipts for lost entries are expected. `faults` are the hashes, in
   * hexadecimal separated by spaces, of the fault entries acknowledged. `brokenAt` is the first broken entry, if any,
   * and `broken` the digest from there to this entry.
   */
  readonly rollback_acknowledged: {
    readonly cause: "person" | "restore";
    readonly until: Instant;
    readonly faults: string;
    readonly brokenAt: number | null;
    readonly broken: string | null;
  };
}

export const SIGNATURE_EVENTS = [
  "message_signed",
  "typed_data_signed",
  "transaction_signed",
  "authorization_signed",
] as const satisfies readonly (keyof AuditDetails)[];

export type ReleaseRefusalReason =
  | "unknown_workload"
  | "too_many_challenges"
  | "malformed_claims"
  | "other_broker"
  | "challenge_absent"
  | "challenge_expired"
  | "challenge_of_other_workload"
  | "malformed_quote"
  | "weak_key"
  | "not_allowed"
  | "verification_failed"
  | "key_lost";

/**
 * A change of a key's policy: set or tightened, loosened at once, loosening requested with a delay, request cancelled,
 * or loosening in effect.
 */
export type KeyPolicyAct = "tightened" | "loosened" | "asked" | "cancelled" | "took_effect";

/**
 * A change of an account's recovery: codes created, settings changed, recovery started, cancelled, restarted because
 * the account was enabled again, expired or finished; or a lost row created again. A recovery is cancelled by a mail's
 * link, by a sign-in or another passkey use, by a signed-in owner, by an address change, or by a former address that
 * reverted its change.
 */
export type RecoveryAct =
  | "codes_made"
  | "choices_changed"
  | "begun"
  | "cancelled_by_link"
  | "cancelled_by_sign_in"
  | "cancelled_by_passkey"
  | "cancelled_by_owner"
  | "cancelled_by_new_address"
  | "cancelled_by_old_address"
  | "waits_anew"
  | "lapsed"
  | "finished"
  | "restored";

export type GrantEnd =
  | "withdrawn"
  | "code_replayed"
  | "refresh_token_reused"
  | "revoked"
  | "recovered"
  | "too_many";

export type AuditEventName = keyof AuditDetails;

/** An event, to be recorded in its own transaction. */
export type AuditEvent = {
  readonly [E in AuditEventName]: {
    readonly event: E;
    readonly accountId: string | null;
    /** The id of the affected key, passkey, session or row. */
    readonly subject: string | null;
    readonly detail: AuditDetails[E];
  };
}[AuditEventName];
