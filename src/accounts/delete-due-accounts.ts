import { findAnyAccount } from "./account.ts";
import { type Deletion, postponeDeletion } from "./request-deletion.ts";
import { prepareNotification } from "./notification.ts";
import { notifyEveryApplication } from "./session/logout-notification.ts";
import type { RelyingParty } from "./services.ts";
import { appendAudit } from "../audit/log.ts";
import { passInconsistent } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Throttle } from "../db/sweep.ts";
import { transaction } from "../db/transaction.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { accountDeletedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { forgetAccount } from "../store/delete-account-rows.ts";
import { findRow, pageRows } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

export interface DeletionServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly mailer: Mailer;
}

interface DeletionContext {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

const PAGE = 50;

/**
 * Deletes every account whose deletion is due and notifies its address and clients. Uses a throttled transaction for
 * each account. Keeps its audit log entries. Leaves an account whose rows do not add up.
 */
export async function finishDeletions(
  db: Db,
  services: DeletionServices,
  context: DeletionContext,
  throttle: Throttle,
): Promise<void> {
  let after = { due_at: 0, id: "" };
  for (;;) {
    const place = { after, limit: PAGE };
    const rows = await pageRows(db, services.authority, "account_deletion", "due", {}, place);
    for (const row of rows) {
      if (row.due_at > context.now) return;
      await throttle(() => finishDeletion(db, services, context, row)).catch(passInconsistent);
    }
    if (rows.length < PAGE) return;
    after = { due_at: rows.at(-1)!.due_at, id: rows.at(-1)!.id };
  }
}

async function finishDeletion(
  db: Db,
  services: DeletionServices,
  context: DeletionContext,
  deletion: Deletion,
): Promise<void> {
  const { account_id: accountId } = deletion;
  const account = await findAnyAccount(db, services.authority, accountId);
  const notification = account && prepareNotification(services, account, context, accountDeletedMail);
  const isDone = await transaction(db, async (tx) => {
    const row = await findSameDeletion(tx, services.authority, deletion);
    if (row === undefined || row.due_at > context.now) return false;
    if (await isOwnerLockedOut(tx, services.authority, accountId)) {
      await postponeDeletion(tx, services.authority, { accountId, now: context.now });
      return false;
    }
    await deleteAccountRows(tx, services, row, context);
    await notification?.enqueue(tx);
    return true;
  });
  if (isDone) notification?.queued();
}

/** Returns the pending deletion. Returns undefined if it was cancelled after it was read. */
async function findSameDeletion(
  tx: Db,
  authority: RowAuthority,
  { id, account_id: accountId }: Deletion,
): Promise<Deletion | undefined> {
  const row = await findRow(tx, authority, "account_deletion", "byAccount", { account_id: accountId });
  return row?.id === id ? row : undefined;
}

/** Returns true if the owner could not sign in to stop it: the account is disabled or a recovery is pending. */
async function isOwnerLockedOut(tx: Db, authority: RowAuthority, accountId: string): Promise<boolean> {
  const account = await findAnyAccount(tx, authority, accountId);
  const recovery = await findRow(tx, authority, "account_recovery", "byAccount", { account_id: accountId });
  const isRecovering = recovery !== undefined && recovery.recovery_id !== null;
  return isRecovering || (account !== undefined && account.disabledAt !== null);
}

async function deleteAccountRows(
  tx: Db,
  { vault, authority }: DeletionServices,
  { id, account_id: accountId }: Deletion,
  { now, random }: DeletionContext,
): Promise<void> {
  // Must precede the deletion of the rows that name the clients.
  await notifyEveryApplication(tx, authority, accountId, { now, random });
  const counts = await forgetAccount(tx, authority, accountId);
  // Among unauthenticated rows, only rate limits name an account.
  await tx.deleteFrom("rate_limit").where("subject", "=", accountId).execute();
  await appendAudit(tx, vault, now, {
    event: "account_deleted",
    accountId,
    subject: id,
    detail: { keys: counts.get("ethereum_key") ?? 0 },
  });
}
