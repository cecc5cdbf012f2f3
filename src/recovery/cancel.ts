import { findAnyAccount } from "../accounts/account.ts";
import { readState, type RecoveryState, writeState } from "../accounts/recovery/recovery-state.ts";
import {
  NO_PENDING_RECOVERY,
  type PendingRecovery,
  pendingRecoveryAt,
} from "../accounts/recovery/recovery-settings.ts";
import { consumeFreshness, requireFreshSession } from "../accounts/session/fresh-session.ts";
import type { SignedIn } from "../accounts/session/session.ts";
import type { RecoveryAct } from "../audit/recovery-events.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { concat, constantTimeEqual, fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import {
  type OperationContext,
  type Place,
  prepareRecoveryNotification,
  type RecoveryServices,
} from "./services.ts";

const BYTES_OF_MAC = 32;

/** The recovery of a link, and its account. */
interface LinkedRecovery {
  readonly accountId: string;
  readonly recoveryId: string;
}

/** Names the account too, so that a hidden recovery does not count as ended. */
function proofOf(vault: Vault, { accountId, recoveryId }: LinkedRecovery): string {
  const account = utf8(accountId);
  return toBase64url(concat(vault.keyedHash("recovery-cancel", utf8(recoveryId), account), account));
}

/** Returns the link for mails. It leads to a page with a button, because mail scanners open links. */
export function cancelPath(vault: Vault, recovery: LinkedRecovery): string {
  const query = new URLSearchParams({ recovery: recovery.recoveryId, proof: proofOf(vault, recovery) });
  return `/recover/cancel?${query}`;
}

export interface CancelLink {
  readonly recoveryId: string;
  readonly proof: string;
}

/** Returns undefined if the service did not create the link. */
function accountOf(vault: Vault, { recoveryId, proof }: CancelLink): string | undefined {
  const bytes = fromBase64url(proof);
  if (bytes === undefined) return undefined;
  const accountId = new TextDecoder().decode(bytes.subarray(BYTES_OF_MAC));
  const expected = utf8(proofOf(vault, { accountId, recoveryId }));
  return constantTimeEqual(utf8(proof), expected) ? accountId : undefined;
}

/** Returns the pending recovery of a link. Returns undefined if it has ended or the link is invalid. */
export async function findCancellable(
  db: Db,
  services: Pick<RecoveryServices, "vault" | "authority">,
  link: CancelLink & { readonly now: Instant },
): Promise<PendingRecovery | undefined> {
  const accountId = accountOf(services.vault, link);
  if (accountId === undefined) return undefined;
  const { columns } = await readState(db, services, accountId);
  const pending = pendingRecoveryAt(columns, link.now);
  return pending?.id === link.recoveryId ? pending : undefined;
}

/**
 * Cancels the recovery of a link, for every bearer, and notifies the owner by mail. Returns false if the recovery has
 * ended or the link is invalid. Throws `rate_limited`. `db` must be the outer handle.
 */
export async function cancelByLink(
  db: Db,
  services: RecoveryServices,
  value: CancelLink & OperationContext & Place,
): Promise<boolean> {
  const { network, recoveryId, now } = value;
  await transaction(db, (tx) => services.limits.take(tx, "recovery_cancel", network, now));
  const accountId = accountOf(services.vault, value);
  if (accountId === undefined) return false;
  return await cancel(db, services, value, {
    accountId,
    act: "cancelled_by_link",
    authorize: (_tx, { columns }) => Promise.resolve(pendingRecoveryAt(columns, now)?.id === recoveryId),
  });
}

/**
 * Cancels the account's pending recovery. Does nothing if none is pending: a step-up has already cancelled it. Throws
 * `fresh_session_required`. `db` must be the outer handle.
 */
export async function cancelByOwner(
  db: Db,
  services: RecoveryServices,
  value: OperationContext & Place & { readonly signedIn: SignedIn },
): Promise<void> {
  const { signedIn: { session, account }, now } = value;
  const act = { session, action: "change_recovery", now } as const;
  requireFreshSession(act);
  await cancel(db, services, value, {
    accountId: account.id,
    act: "cancelled_by_owner",
    authorize: async (tx, { columns }) => {
      if (columns.recovery_id === null) return false;
      await consumeFreshness(tx, services.authority, act);
      return true;
    },
  });
}

async function cancel(
  db: Db,
  services: RecoveryServices,
  context: OperationContext & Place,
  { accountId, act, authorize }: {
    readonly accountId: string;
    readonly act: RecoveryAct;
    readonly authorize: (tx: Db, state: RecoveryState) => Promise<boolean>;
  },
): Promise<boolean> {
  const account = await findAnyAccount(db, services.authority, accountId);
  if (account === undefined) return false;
  const { device, network, now } = context;
  const notification = await prepareRecoveryNotification(db, services, account, context, ["cancelled", {
    device,
    network,
  }]);
  const isDone = await transaction(db, async (tx) => {
    const state = await readState(tx, services, accountId);
    if (!await authorize(tx, state)) return false;
    const { recovery_id: subject, cooldown_ends_at } = state.columns;
    await writeState(tx, services, state, {
      act,
      change: { ...NO_PENDING_RECOVERY, next_check_at: cooldown_ends_at },
      subject,
      now,
    });
    await notification.enqueue(tx);
    return true;
  });
  if (isDone) notification.queued();
  return isDone;
}
