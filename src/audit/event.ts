import type { ClientType, TokenAlgorithm } from "../db/schema/oauth.ts";
import type { BlindSigning } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { LogFaultReason } from "./log-head.ts";

type Nothing = Readonly<Record<string, never>>;

/**
 * `digest` is the 32 bytes that were signed, 0x-hex; `by` the id of the token or grant that asked for it, where one did,
 * and `client` the application whose grant it is; `approvedBy` the passkey with which the owner approved it, where that
 * was asked.
 */
interface SignedFor {
  readonly digest: string;
  readonly by?: string;
  readonly client?: string;
  readonly approvedBy?: string;
}

/** `policy` is the SHA-256 of the canonical JSON of the policy that was set, 0x-hex; absent where none was. */
interface PolicySet {
  readonly policy?: string;
}

/** The version that the account's row has from then on. A row with a lower one was put back. */
export interface NewVersion {
  readonly version: number;
}

/**
 * How an administrator did it: with the admin key, or as an account that entered the pages. `entrance` is the subject of
 * that `administration_entered`, by which the log names the account to whoever runs the service and to nobody else; absent
 * where the key came with the request.
 */
export interface DoneByAdministrator {
  readonly by: "account" | "admin_key";
  readonly entrance?: string;
}

/**
 * Every kind of event, and what it says beyond when, whose account and which thing. No member may hold a secret, an
 * address of a person or what was signed, but for what of a transaction every chain shows: the log outlives them.
 */
export interface AuditDetails {
  readonly account_created: Nothing;
  /** The account was made by an invitation, which is the subject. */
  readonly invitation_used: Nothing;
  /** `kind` is whom it is for: one address, or whoever has the link. */
  readonly invitation_made: { readonly kind: "address" | "link"; readonly uses: number };
  readonly invitation_withdrawn: { readonly used: number };
  /** An administrator disabled the account: `sessions` ended with it. */
  readonly account_disabled: NewVersion & DoneByAdministrator & { readonly sessions: number };
  readonly account_enabled: NewVersion & DoneByAdministrator;
  /** An administrator ended every session of the account. */
  readonly sessions_ended_for: DoneByAdministrator & { readonly sessions: number };
  /** The administrator's pages were entered, by the account's passkey or the admin key. The subject is the session there. */
  readonly administration_entered: { readonly by: "account" | "admin_key" };
  /** The account belongs to somebody's identity at this provider from now on. The subject is the link. */
  readonly identity_linked: { readonly issuer: string };
  /** It belongs to it no more. The subject is the link. */
  readonly identity_unlinked: { readonly issuer: string };
  readonly account_renamed: NewVersion;
  /** All that is known of its owner went out as a file. The subject is the session. */
  readonly account_exported: Nothing;
  /** The account has another address. The subject is the change, by which the old one can take it back. */
  readonly email_changed: NewVersion;
  /** The old address took back the change that is the subject, and `later` ones with it; `sessions` ended. */
  readonly email_change_taken_back: NewVersion & { readonly later: number; readonly sessions: number };
  /** The account goes at that time, unless somebody signs in to it. The subject is the deletion. */
  readonly deletion_asked: { readonly dueAt: Instant; readonly sessions: number };
  /** Somebody signed in, or the old address took a change back: the account stays. The subject is the deletion. */
  readonly deletion_stopped: { readonly by: "sign_in" | "recovery" | "old_address" };
  /** All rows of the account are gone. The subject is the deletion. */
  readonly account_deleted: { readonly keys: number };
  readonly passkey_added: Nothing;
  readonly passkey_renamed: Nothing;
  /** `sessions` is how many sessions ended with it. */
  readonly passkey_removed: { readonly sessions: number };
  readonly signed_in: { readonly passkeyId: string };
  /** `reason` is the code of the check that failed, `removed_credential` or `account_disabled`. */
  readonly sign_in_refused: { readonly reason: string };
  readonly signed_out: Nothing;
  /** The passkey was used again, for this action. The subject is the session. */
  readonly stepped_up: { readonly action: string; readonly passkeyId: string };
  /**
   * All of an account's way back as it is from then on, but for what proves who began a recovery: a row of before is
   * known by it, and one that was lost is made again. The subject is the recovery, where it is about one.
   */
  readonly recovery_changed: {
    readonly act: RecoveryAct;
    readonly revision: number;
    readonly delayHours: number;
    readonly emailAlone: boolean;
    readonly sheet: number | null;
    /** A bit for each recovery code that was not used. */
    readonly codesLeft: number;
    readonly codesMadeAt: Instant | null;
    /** From when the recovery that waits lets a passkey be made, and until when. Null where none waits. */
    readonly readyAt: Instant | null;
    readonly endsAt: Instant | null;
    /** Until when nothing is loosened after a recovery; null where there was none. */
    readonly settledAt: Instant | null;
  };
  /** Somebody proved the account's address and could not begin a recovery all the same. */
  readonly recovery_refused: { readonly reason: "no_code" | "wrong_code" };
  /** `reason` is the code of the check that failed. */
  readonly step_up_refused: { readonly action: string; readonly reason: string };
  /** Its owner ended a session, which is the subject, from another one or this one. */
  readonly session_ended: Nothing;
  /** Its owner ended several: `others` than the subject, or `all`. */
  readonly sessions_ended: { readonly which: "others" | "all"; readonly sessions: number };
  readonly key_generated: { readonly keyIndex: number };
  readonly key_labelled: Nothing;
  readonly key_archived: Nothing;
  readonly key_unarchived: Nothing;
  readonly blind_signing_changed: { readonly to: BlindSigning };
  /** All of what the key may sign from then on, and of what waits to become of it: a row of before is known by it. */
  readonly key_policy_changed: {
    readonly keyIndex: number;
    readonly revision: number;
    readonly act: KeyPolicyAct;
    /** Canonical JSON; null where it may sign anything. */
    readonly policy: string | null;
    /** What is to take its place, and when: canonical JSON, `null` for nothing. Null where nothing waits. */
    readonly change: string | null;
    readonly changeAt: Instant | null;
  };
  readonly message_signed: SignedFor & { readonly format: string };
  /** `standard` is the one whose type it has, where it is a known one. */
  readonly typed_data_signed: SignedFor & { readonly standard?: string };
  /**
   * `chainId` and `value` (wei) are in decimal digits. `recipient` has its checksum and is null where a contract is
   * made; `selector` is the first four bytes of a call's data, null where there are none.
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
  /** The owner of the key, the subject, is asked for a signature; `by` is the token or grant that asks, if one does. */
  readonly signature_asked: { readonly request: string; readonly digest: string; readonly by?: string };
  /** Without a signature. `reason` is the problem's code of what was refused. */
  readonly signing_request_ended: {
    readonly request: string;
    readonly how: "declined" | "refused" | "withdrawn";
    readonly reason: string | null;
    readonly by?: string;
  };
  /** `reason` is the code of the check of the passkey that failed. */
  readonly approval_refused: { readonly request: string; readonly reason: string };
  /** `actions` are what it may do, separated by spaces. The subject is the token. */
  readonly token_created: { readonly actions: string } & PolicySet;
  /** `members` are the names of what changed, separated by commas. */
  readonly token_changed: { readonly members: string } & PolicySet;
  readonly token_revoked: Nothing;
  readonly client_registered: { readonly type: ClientType };
  /** `members` are the names of what changed, separated by commas. */
  readonly client_changed: { readonly members: string };
  readonly client_disabled: Nothing;
  readonly client_enabled: Nothing;
  /** `previousUntil` is until when the secret before counts as well; absent where it stopped at once. */
  readonly client_secret_rotated: { readonly previousUntil?: Instant };
  /** The secret before the present one was ended before its time. */
  readonly client_secret_ended: Nothing;
  /** `grants` is how many grants ended with it. */
  readonly client_deleted: { readonly grants: number };
  /** `keys` are the ids of the keys that the application may use, separated by spaces; absent where it may use none. */
  readonly consent_given: { readonly scope: string; readonly keys?: string } & PolicySet;
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
  /** A broker gave no nonce; the subject is the workload, if it is one. */
  readonly release_challenge_refused: { readonly reason: ReleaseRefusalReason };
  /** A broker made a workload's sealing key: once for each. */
  readonly release_key_made: Nothing;
  /** A broker released a workload's sealing key to a quote with these measurements. */
  readonly sealing_key_released: {
    readonly mrTd: string;
    readonly rtmr3: string;
    readonly tcbStatus: string;
  };
  /** `check` is the one of the quote's that did not pass. */
  readonly release_refused: {
    readonly reason: ReleaseRefusalReason;
    readonly check: string | null;
  };
  /** A row that grants authority and was not written by the service. */
  readonly row_rejected: { readonly kind: AuthorityKind };
  /** The log is not as it was, and nothing more is recorded. `entry` is the number of the one it was found by. */
  readonly log_fault_noticed: {
    readonly reason: LogFaultReason;
    readonly entry: number;
    /** When the receipt was issued, where it was one. */
    readonly issuedAt: Instant | null;
  };
  /**
   * An older state of the database was put back, or a part of the log was lost, and a person knows: everybody's event.
   * `until` is up to when receipts for entries that are gone are no news. `faults` are the hashes, as hexadecimal with
   * spaces between, of the entries that told of a fault until then. `brokenAt` is the first entry that was not sound
   * then, if any, and `broken` the digest of all from there to this one.
   */
  readonly rollback_acknowledged: {
    readonly cause: "person" | "restore";
    readonly until: Instant;
    readonly faults: string;
    readonly brokenAt: number | null;
    readonly broken: string | null;
  };
}

/** What tells of a signature. */
export const SIGNATURE_EVENTS = [
  "message_signed",
  "typed_data_signed",
  "transaction_signed",
  "authorization_signed",
] as const satisfies readonly (keyof AuditDetails)[];

/** Why a broker releases no sealing key. */
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
 * What became of a key's policy: it was set or made tighter, made looser at once, is to be looser after its delay, stays
 * as it is after all, or has become looser.
 */
export type KeyPolicyAct = "tightened" | "loosened" | "asked" | "cancelled" | "took_effect";

/**
 * What became of an account's way back: codes were made, or the choices changed; a recovery was begun, cancelled by the
 * link of a mail, by a sign-in or another use of a passkey, by whoever is signed in, by a change of the address or by a
 * former one that took its change back, waits anew since the account was enabled again, came to nothing in its time, or
 * was finished; or the row was lost and is made again.
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

/** Why a grant ended before its time. */
export type GrantEnd =
  | "withdrawn"
  | "code_replayed"
  | "refresh_token_reused"
  | "revoked"
  | "recovered"
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
