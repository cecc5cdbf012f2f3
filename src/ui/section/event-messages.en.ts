import { findChain } from "../../clear-signing/registry/chains.ts";
import type { TypedDataStandard } from "../../clear-signing/match-standard.ts";
import { type Html, html, type HtmlValue } from "../../lib/html.ts";
import { nativeAmount, shortAddress } from "../amounts.ts";
import type {
  AuditDetails,
  AuditEventName,
  DoneByAdministrator,
  GrantEnd,
  KeyPolicyAct,
  RecoveryAct,
} from "../../audit/event.ts";
import type { BlindSigning } from "../../db/schema/key.ts";
import { toIso } from "../../lib/time.ts";

/** The sentence of every event, for the account's user. */
type EventSentences = { readonly [E in AuditEventName]: string | ((detail: AuditDetails[E]) => string) };

/** Sentences of events whose subject has a name. */
type NamedSentences = { readonly [E in AuditEventName]?: (it: Html, detail: AuditDetails[E]) => HtmlValue };

const BLIND_SIGNING: Readonly<Record<BlindSigning, string>> = {
  allow: "A key was set to sign raw bytes, digests and messages of bytes",
  guard: "A key was set to refuse digests, bytes that could be a transaction, and messages of 32 bytes",
  deny: "A key was set to refuse raw bytes, digests and messages of bytes",
};

const POLICY_ACTS: Readonly<Record<KeyPolicyAct, (until: string) => string>> = {
  tightened: () => "A key’s policy was set or tightened",
  loosened: () => "A key’s policy was loosened or removed",
  asked: (until) => `You requested a looser policy for a key, effective from ${until}`,
  cancelled: () => "A pending looser policy of a key was cancelled",
  took_effect: () => "A pending looser policy of a key took effect",
};

const RECOVERY_ACTS: Readonly<Record<RecoveryAct, (until: string) => string>> = {
  codes_made: () => "Recovery codes were created; the previous codes no longer work",
  choices_changed: () => "The requirements for a recovery of your account were changed",
  begun: (until) => `A recovery of your account was begun: a new passkey can be created from ${until} on`,
  cancelled_by_link: () => "A recovery of your account was cancelled by the link of a mail",
  cancelled_by_sign_in: () => "A recovery of your account was cancelled by a sign-in with a passkey",
  cancelled_by_passkey: () => "A recovery of your account was cancelled because a passkey was used",
  cancelled_by_owner: () => "You cancelled a recovery of your account",
  cancelled_by_new_address: () =>
    "A recovery of your account was cancelled because its e-mail address was changed",
  cancelled_by_old_address: () =>
    "A recovery of your account was cancelled because a change of its e-mail address was undone",
  waits_anew: (until) =>
    `The delay of a recovery began again because your account was enabled again: a new passkey can be created from ${until} on`,
  lapsed: () => "A recovery of your account expired",
  finished: () => "Your account was recovered: it has a new passkey, and everything else was signed out",
  restored: () =>
    "The recovery settings of your account were missing from the database and were written again",
};

const GRANT_ENDS: Readonly<Record<GrantEnd, string>> = {
  withdrawn: "An application’s access was withdrawn",
  code_replayed: "An application lost its access because its code was used twice",
  refresh_token_reused: "An application lost its access because an old refresh token was used again",
  revoked: "An application gave up its access",
  recovered: "An application lost its access because the account was recovered",
  too_many: "An application lost its oldest access because it had too many",
};

const REQUEST_ENDS: Readonly<Record<AuditDetails["signing_request_ended"]["how"], string>> = {
  declined: "declined by you",
  refused: "refused when you approved it",
  withdrawn: "withdrawn",
};

const ROLLBACKS: Readonly<Record<AuditDetails["rollback_acknowledged"]["cause"], string>> = {
  restore: "This service was restored from a backup; events after that backup are not in this list",
  person:
    "This service lost part of its records and its operator let it continue; events may be missing from this list",
};

const DELETION_STOPS: Readonly<Record<AuditDetails["deletion_stopped"]["by"], string>> = {
  sign_in: "You signed in, so your account is not deleted",
  recovery: "Your account was recovered, so it is not deleted",
  old_address: "The change of your e-mail address was undone, so your account is not deleted",
};

function counted(sessions: number): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}

/** Returns the requester of a signature, unless it was the owner. */
function forWhom(
  { by, client }: { readonly by?: string | undefined; readonly client?: string | undefined },
): string {
  if (by === undefined) return "";
  return client === undefined ? `, for the program with ${by}` : `, for the application ${client} (${by})`;
}

/** Returns the administrator's means of access; empty if the entry does not contain it. */
function withWhat({ by }: Partial<DoneByAdministrator>): string {
  if (by === undefined) return "";
  return by === "account" ? ", with their own account" : ", with the admin key";
}

const SENTENCES: EventSentences = {
  account_created: "Your account was created",
  invitation_used: "You signed up with an invitation",
  invitation_made: "An invitation was created",
  invitation_withdrawn: "An invitation was withdrawn",
  account_disabled: ({ sessions, ...done }) =>
    `The administrator disabled your account${withWhat(done)}; ${counted(sessions)} ended with it`,
  account_enabled: (done) => `The administrator enabled your account again${withWhat(done)}`,
  sessions_ended_for: ({ sessions, ...done }) =>
    `The administrator ended your sessions${withWhat(done)} (${sessions})`,
  administration_entered: "You entered the administrator’s pages",
  identity_linked: ({ issuer }) => `Your sign-in at ${issuer} was linked to your account`,
  identity_unlinked: ({ issuer }) => `Your sign-in at ${issuer} was unlinked from your account`,
  account_renamed: "Your account was renamed",
  account_exported: "You downloaded your data",
  email_changed: "Your e-mail address was changed",
  email_change_taken_back: ({ sessions }) =>
    `A change of your e-mail address was undone from the old address, and ${counted(sessions)} ended`,
  deletion_asked: ({ dueAt, sessions }) =>
    `You asked for your account to be deleted on ${toIso(dueAt)}, and ${counted(sessions)} ended`,
  deletion_stopped: ({ by }) => DELETION_STOPS[by],
  account_deleted: "Your account was deleted",
  passkey_added: "A passkey was added",
  passkey_renamed: "A passkey was renamed",
  passkey_removed: ({ sessions }) => `A passkey was removed, and ${counted(sessions)} ended with it`,
  signed_in: "You signed in with a passkey",
  sign_in_refused: ({ reason }) => `A sign-in with your passkey was refused (${reason})`,
  signed_out: "You signed out",
  stepped_up: "You confirmed with a passkey",
  recovery_changed: ({ act, readyAt }) => RECOVERY_ACTS[act](readyAt === null ? "now" : toIso(readyAt)),
  recovery_refused: ({ reason }) =>
    reason === "no_code"
      ? "A recovery with a code from your mailbox was refused because there was no recovery code"
      : "A recovery with a code from your mailbox was refused because the recovery code was wrong",
  step_up_refused: ({ reason }) => `A confirmation with a passkey was refused (${reason})`,
  session_ended: "You ended a session",
  sessions_ended: ({ which, sessions }) =>
    `You ended ${which === "all" ? "every session" : "all other sessions"} (${sessions})`,
  key_generated: ({ keyIndex }) => `A key was created, with index ${keyIndex}`,
  key_labelled: "A key’s label was changed",
  key_archived: "A key was archived",
  key_unarchived: "A key was unarchived",
  blind_signing_changed: ({ to }) => BLIND_SIGNING[to],
  key_policy_changed: ({ act, changeAt }) => POLICY_ACTS[act](changeAt === null ? "now" : toIso(changeAt)),
  message_signed: ({ format, digest, ...who }) =>
    `A key signed a message (${format}) with the digest ${digest}${forWhom(who)}`,
  typed_data_signed: ({ digest, ...who }) =>
    `A key signed typed data with the digest ${digest}${forWhom(who)}`,
  transaction_signed: ({ digest, chainId, recipient, value, ...who }) =>
    `A key signed a transaction on chain ${chainId} ${
      recipient === null ? "that creates a contract" : `to ${recipient}`
    } with a value of ${value} wei and the digest ${digest}${forWhom(who)}`,
  authorization_signed: ({ digest, chainId, delegate, ...who }) =>
    `A key signed an authorization to run the code of ${delegate} on chain ${chainId} with the digest ${digest}${
      forWhom(who)
    }`,
  signature_asked: (who) => `You were asked for a signature${forWhom(who)}`,
  signing_request_ended: ({ how, reason, by }) =>
    `A requested signature${forWhom({ by })} was ${REQUEST_ENDS[how]}${
      reason === null ? "" : ` (${reason})`
    }`,
  approval_refused: ({ reason }) => `The approval of a signature was refused (${reason})`,
  token_created: ({ actions }) => `You created a token for a program (${actions})`,
  token_changed: ({ members }) => `You changed a token (${members})`,
  token_revoked: "You revoked a token",
  client_registered: "An application was registered",
  client_changed: ({ members }) => `An application’s registration was changed (${members})`,
  client_disabled: "An application was disabled",
  client_enabled: "An application was enabled",
  client_secret_rotated: "An application’s secret was replaced",
  client_secret_ended: "An application’s previous secret was ended",
  client_deleted: "An application was deleted",
  consent_given: ({ scope, keys }) =>
    `You gave an application access (${scope})${
      keys === undefined ? "" : `, with ${keys.split(" ").length} of your keys`
    }`,
  consent_withdrawn: "You withdrew an application’s access",
  authorization_denied: "You denied an application access",
  grant_started: "An application was given access",
  code_redeemed: "An application fetched its first tokens",
  grant_refreshed: "An application renewed its tokens",
  grant_ended: ({ reason }) => GRANT_ENDS[reason],
  token_key_made: ({ algorithm }) => `A key for signing tokens was created (${algorithm})`,
  seed_resealed: "The root seed was sealed again",
  release_challenge_refused: ({ reason }) => `A challenge for a sealing key was refused (${reason})`,
  release_key_made: "A sealing key was created for a workload",
  sealing_key_released: "A sealing key was released to a workload",
  release_refused: ({ reason }) => `The release of a sealing key was refused (${reason})`,
  log_fault_noticed: ({ entry }) => `The log was found to have been changed (entry ${entry})`,
  rollback_acknowledged: ({ cause }) => ROLLBACKS[cause],
  row_rejected: ({ kind }) =>
    `A database row was rejected because the service had not written it, or because it was used or deleted (${kind})`,
};

const MESSAGES: Readonly<Record<string, string>> = {
  personal_sign: "a message",
  raw: "raw bytes, blind",
  digest: "a digest, blind",
};

const STANDARDS: Readonly<Record<string, string>> = {
  erc20_permit: "a token permit",
  dai_permit: "a Dai permit",
  permit2_allowance: "a Permit2 approval",
  permit2_transfer: "a Permit2 transfer",
  transfer_authorization: "a token transfer that another account can send",
  authorization_cancellation: "the cancellation of a token transfer",
  seaport_order: "a Seaport order",
  safe_transaction: "a transaction of a Safe",
  user_operation: "a user operation",
} satisfies Readonly<Record<TypedDataStandard, string>>;

function chainOf(chainId: string): string {
  return findChain(chainId)?.name ?? `chain ${chainId}`;
}

const NAMED: NamedSentences = {
  message_signed: (it, { format }) => html`${it} signed ${MESSAGES[format] ?? "a message"}`,
  typed_data_signed: (it, { standard }) =>
    html`${it} signed ${standard === undefined ? "typed data" : STANDARDS[standard] ?? "typed data"}`,
  transaction_signed: (it, { chainId, recipient, value, selector }) =>
    recipient === null
      ? html`${it} signed a transaction on ${chainOf(chainId)} that creates a contract`
      : html`${it} signed a transaction on ${chainOf(chainId)}: ${
        nativeAmount(value, chainId, "of its currency")
      } to ${shortAddress(recipient)}${selector !== null && ", with a call"}`,
  authorization_signed: (it, { chainId, delegate }) =>
    html`${it} signed an authorization to run the code of ${shortAddress(delegate)} on ${
      chainId === "0" ? "every chain" : chainOf(chainId)
    }`,
  signature_asked: (it) => html`You were asked for a signature of ${it}`,
  signing_request_ended: (it, { how, reason }) =>
    html`A requested signature of ${it} was ${REQUEST_ENDS[how]}${reason !== null && ` (${reason})`}`,
  approval_refused: (it, { reason }) => html`The approval of a signature of ${it} was refused (${reason})`,
  token_created: (it) => html`You created the token ${it}`,
  token_changed: (it) => html`You changed the token ${it}`,
  token_revoked: (it) => html`You revoked the token ${it}`,
  consent_given: (it) => html`You gave ${it} access`,
  consent_withdrawn: (it) => html`You withdrew the access of ${it}`,
  authorization_denied: (it) => html`You denied ${it} access`,
};

export const en = {
  sentences: SENTENCES,
  named: NAMED,
  /** The first words of sentences whose subject may have a name. */
  unnamed: ["A key", "An application", "A token"],
  entry: "Entry",
  event: "Event",
  subject: "Subject",
  askedForBy: "requested by",
  approved: "approved with a passkey",
  details: "details",
};
