import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { DAY, type Instant } from "../lib/time.ts";
import { deletionRequestedMail, deletionStoppedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { removeRow, replaceRow, upsertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { type Account, nameOf } from "./account.ts";
import { prepareNotification, prepareNotificationToAllAddresses } from "./notification.ts";
import { requireNoCooldown } from "./recovery/recovery-state.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { endAllSessions } from "./session/logout-notification.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import type { SignedIn } from "./session/session.ts";

const DELETION_DELAY = 7 * DAY;

export type Deletion = Authentic<"account_deletion">;

function isNameOf(account: Account, text: string): boolean {
  const name = nameOf(account);
  const typed = text.trim();
  return account.email === null ? typed === name : typed.toLowerCase() === name;
}

function wrongConfirmation(): ProtocolError {
  const message = "This is not the name of your account";
  return new ProtocolError("invalid_request", message, { errors: [{ path: "/confirm", message }] });
}

export interface DeletionRequest {
  readonly signedIn: SignedIn;
  /** The account's address, name or id as the user typed it. */
  readonly confirm: string;
  /** The number of keys that are deleted too, for the mail. */
  readonly keys: number;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * Schedules the deletion of the account in seven days and returns its time. Signing in before then cancels it. Ends
 * every session, and notifies current and recent addresses. API tokens and clients can still sign. Throws
 * `fresh_session_required`, `recently_recovered`, and `invalid_request` if `confirm` does not match. `db` must be the
 * outer handle.
 */
export async function scheduleDeletion(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  request: DeletionRequest,
): Promise<Instant> {
  const { signedIn: { session, account }, device, network, keys, now, random } = request;
  const { vault, authority } = services;
  requireFreshSession({ session, action: "delete_account", now });
  if (!isNameOf(account, request.confirm)) throw wrongConfirmation();
  const dueAt = now + DELETION_DELAY;
  const notification = await prepareNotificationToAllAddresses(
    db,
    services,
    account,
    request,
    (heading) => deletionRequestedMail({ ...heading, device, network, dueAt, keys }),
  );
  await transaction(db, async (tx) => {
    await consumeFreshness(tx, authority, { session, action: "delete_account", now });
    await requireNoCooldown(tx, services, { accountId: account.id, now });
    const sessions = await endAllSessions(tx, authority, account.id, { now, random });
    const { row } = await upsertRow(tx, authority, "account_deletion", "byAccount", {
      id: newId("deletion", random),
      account_id: account.id,
      created_at: now,
      due_at: dueAt,
    });
    await notification.enqueue(tx);
    await appendAudit(tx, vault, now, {
      event: "deletion_asked",
      accountId: account.id,
      subject: row.id,
      detail: { dueAt, sessions },
    });
  });
  notification.queued();
  return dueAt;
}

/** Cancels a pending deletion when the owner has authenticated. Returns true if one was pending. */
export async function stopDeletion(
  tx: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  { accountId, by, now }: {
    readonly accountId: string;
    readonly by: "sign_in" | "recovery" | "old_address";
    readonly now: Instant;
  },
): Promise<boolean> {
  const row = await findRow(tx, authority, "account_deletion", "byAccount", { account_id: accountId });
  if (row === undefined) return false;
  await removeRow(tx, authority, "account_deletion", row);
  await appendAudit(tx, vault, now, {
    event: "deletion_stopped",
    accountId,
    subject: row.id,
    detail: { by },
  });
  return true;
}

/** Restarts the delay of a pending deletion, because the owner could not sign in to cancel it. */
export async function postponeDeletion(
  tx: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<void> {
  const row = await findRow(tx, authority, "account_deletion", "byAccount", { account_id: accountId });
  if (row === undefined) return;
  await replaceRow(tx, authority, "account_deletion", row, { due_at: now + DELETION_DELAY });
}

/** Notifies the owner after the commit of the cancellation. `db` must be the outer handle. */
export async function notifyDeletionStopped(
  db: Db,
  services: { readonly vault: Vault; readonly mailer: Mailer },
  account: Account,
  context: Pick<DeletionRequest, "relyingParty" | "now" | "random">,
): Promise<void> {
  const notification = prepareNotification(services, account, context, deletionStoppedMail);
  await transaction(db, (tx) => notification.enqueue(tx));
  notification.queued();
}
