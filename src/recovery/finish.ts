import { type Account, findAccount, nameOf } from "../accounts/account.ts";
import { notifyDeletionStopped, stopDeletion } from "../accounts/request-deletion.ts";
import { prepareNotification } from "../accounts/notification.ts";
import { defaultPasskeyName } from "../accounts/passkey/aaguid.ts";
import { insertPasskey } from "../accounts/passkey/passkey.ts";
import {
  beginRegistration,
  registrationRefused,
  verifyNewPasskey,
} from "../accounts/passkey/registration.ts";
import { readState, writeState } from "../accounts/recovery/recovery-state.ts";
import type { RecoveryState, RecoveryStateServices } from "../accounts/recovery/recovery-state.ts";
import {
  COOLDOWN,
  NO_PENDING_RECOVERY,
  observedAtCooldownEnd,
  pendingRecoveryAt,
} from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery } from "../accounts/recovery/recovery-settings.ts";
import type { SignInOrigin } from "../accounts/session/known-browser.ts";
import { issueSession, type SignedIn } from "../accounts/session/session.ts";
import { readToken, secretMatches } from "../accounts/session/bearer-secret.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { constantTimeEqualText } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import { recoveryMail } from "../mail/recovery-mail.ts";
import { findRow } from "../store/read.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../webauthn/options.ts";
import type { RegisteredCredential } from "../webauthn/registration.ts";
import type { Evidence } from "./begin.ts";
import { hashRecoveryCode, readCodeText, RECOVERY_CODE_LENGTH } from "./recovery-code.ts";
import { endAccess } from "./end-access.ts";
import { checkProof, consumeProof, wrongCode } from "./email-proof.ts";
import type { OperationContext, Place, RecoveryServices } from "./services.ts";

/** A recovery, as the browser that began it sees it. */
export interface OwnRecovery {
  readonly account: Account;
  readonly pending: PendingRecovery;
}

/**
 * Returns the recovery that a browser began, by its token. Returns undefined if it has ended or belongs to another
 * browser. Checks the audit log, so that an outdated row that was restored grants nothing.
 */
export async function findOwnRecovery(
  db: Db,
  services: RecoveryStateServices,
  { token, now }: { readonly token: string; readonly now: Instant },
): Promise<OwnRecovery | undefined> {
  const read = readToken(token, "recovery");
  if (read === undefined) return undefined;
  const { authority } = services;
  const row = await findRow(db, authority, "account_recovery", "byRecovery", { recovery_id: read.id });
  if (row === undefined || row.secret_hash === null) return undefined;
  if (!secretMatches(read.secret, row.secret_hash)) return undefined;
  const { columns } = await readState(db, services, row.account_id);
  const pending = pendingRecoveryAt(columns, now);
  const account = await findAccount(db, authority, row.account_id);
  return pending?.id === read.id && account !== undefined ? { account, pending } : undefined;
}

function notReady(): ProtocolError {
  return new ProtocolError(
    "recovery_not_ready",
    "Cannot create a passkey yet: the recovery is still pending",
  );
}

/**
 * Begins the registration of the passkey after the delay. In addition to the browser's token it requires a second
 * code. That is a new e-mail code, which it uses, or for an account without an address the recovery code that began
 * the recovery. Throws `recovery_not_ready`, `rate_limited`, and `invalid_code` for every wrong code. `db` must be
 * the outer handle.
 */
export async function beginRecoveredPasskey(
  db: Db,
  services: RecoveryServices,
  value: OperationContext & Place & {
    readonly own: OwnRecovery;
    readonly evidence: Evidence;
    readonly browserHash: string;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { own: { account, pending }, network, now } = value;
  if (pending.remaining > 0) throw notReady();
  await transaction(db, (tx) => services.limits.take(tx, "recovery_begin", network, now));
  await requireEvidence(db, services, value);
  return await beginRegistration(db, services, {
    ...value,
    holder: `recovery:${pending.id}`,
    accountId: account.id,
    userName: nameOf(account),
    existing: [],
  });
}

async function requireEvidence(
  db: Db,
  services: RecoveryServices,
  value: OperationContext & Place & {
    readonly own: OwnRecovery;
    readonly evidence: Evidence;
    readonly browserHash: string;
  },
): Promise<void> {
  const { own: { account, pending }, evidence } = value;
  const { columns: { recovery_id, method, code_hash } } = await readState(db, services, account.id);
  if (recovery_id !== pending.id) throw wrongCode();
  if (method === "code") {
    const code = readCodeText(evidence.recoveryCode ?? "", RECOVERY_CODE_LENGTH);
    const isRight = code !== undefined && code_hash !== null &&
      constantTimeEqualText(hashRecoveryCode(services.vault, code), code_hash);
    if (!isRight) throw wrongCode();
    return;
  }
  if (evidence.email === undefined) throw wrongCode();
  const { address, code } = evidence.email;
  const proof = await checkProof(db, services, { ...value, email: address, code });
  if (proof.email !== account.email) throw wrongCode();
  await transaction(db, (tx) => consumeProof(tx, services, proof, value.now));
}

export interface RecoveryFinish extends OperationContext {
  readonly own: OwnRecovery;
  readonly response: unknown;
  readonly from: SignInOrigin;
}

/**
 * Adds a new passkey, ends every other access (`endAccess`) and creates a session, in one transaction. Cancels a
 * pending deletion and notifies the owner by mail. Starts the seven-day cooldown. The challenge is used even on
 * failure.
 *
 * Throws `invalid_passkey_registration` for every fault of response or challenge, and `recovery_not_ready`. Throws
 * `authentication_required` if the recovery has ended, and the errors of `requireLatestAccount`. `db` must be the
 * outer handle.
 */
export async function finishRecovery(
  db: Db,
  services: RecoveryServices,
  finish: RecoveryFinish,
): Promise<SignedIn & { readonly token: string }> {
  const { own: { account, pending }, from } = finish;
  if (pending.remaining > 0) throw notReady();
  const holder = `recovery:${pending.id}` as const;
  const credential = await verifyNewPasskey(db, services.authority, { ...finish, holder });
  const notification = prepareNotification(
    services,
    account,
    finish,
    (heading) => recoveryMail("finished", { ...heading, ...from }),
  );
  const { signedIn, stoppedDeletion } = await transaction(db, async (tx) => {
    const state = await requireReady(tx, services, finish);
    const whose = { accountId: account.id, now: finish.now };
    await endAccess(tx, services, { ...whose, random: finish.random });
    await notification.enqueue(tx);
    return {
      signedIn: await completeRecovery(tx, services, finish, { state, credential }),
      stoppedDeletion: await stopDeletion(tx, services, { ...whose, by: "recovery" }),
    };
  });
  notification.queued();
  if (stoppedDeletion) await notifyDeletionStopped(db, services, account, finish);
  return signedIn;
}

/** Checks again in the transaction, because a cancellation or a sign-in may have come first. */
async function requireReady(
  tx: Db,
  services: RecoveryServices,
  { own, now }: RecoveryFinish,
): Promise<RecoveryState> {
  // Includes the address that received the code: a change of it would have cancelled the recovery.
  const state = await readState(tx, services, own.account.id);
  const pending = pendingRecoveryAt(state.columns, now);
  const account = await findAccount(tx, services.authority, own.account.id);
  if (pending?.id !== own.pending.id || account === undefined) {
    throw new ProtocolError(
      "authentication_required",
      "Cannot recover: the recovery was finished, was cancelled or has expired",
    );
  }
  if (pending.remaining > 0) throw notReady();
  return state;
}

async function completeRecovery(
  tx: Db,
  services: RecoveryServices,
  { own: { account, pending }, from, now, random }: RecoveryFinish,
  { state, credential }: { readonly state: RecoveryState; readonly credential: RegisteredCredential },
): Promise<SignedIn & { readonly token: string }> {
  const { vault, authority } = services;
  const accountId = account.id;
  const name = defaultPasskeyName(credential.aaguid, []);
  const passkey = await insertPasskey(tx, authority, { accountId, credential, name, now, random });
  if (passkey === undefined) throw registrationRefused(new Error("This passkey is already registered"));
  await appendAudit(tx, vault, now, { event: "passkey_added", accountId, subject: passkey.id, detail: {} });
  const cooldown_ends_at = now + COOLDOWN;
  await writeState(tx, services, state, {
    act: "finished",
    change: {
      ...NO_PENDING_RECOVERY,
      cooldown_ends_at,
      observed_at_cooldown_end: observedAtCooldownEnd(state.columns.observed_ms),
      next_check_at: cooldown_ends_at,
    },
    subject: pending.id,
    now,
  });
  const issued = await issueSession(tx, authority, {
    accountId,
    passkeyId: passkey.id,
    from,
    lifetimes: services.sessionLifetimes,
    now,
    random,
  });
  await appendAudit(tx, vault, now, {
    event: "signed_in",
    accountId,
    subject: issued.session.id,
    detail: { passkeyId: passkey.id },
  });
  return { token: issued.token, session: issued.session, account };
}
