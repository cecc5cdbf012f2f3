import type { Db } from "../db/schema/schema.ts";
import type { Mailer } from "../mail/mailer.ts";
import { recoveryMail } from "../mail/recovery-mail.ts";
import type { Account } from "./account.ts";
import { type NotificationContext, prepareNotificationToAllAddresses } from "./notification.ts";
import { cancelPendingRecovery, readState, type RecoveryStateServices } from "./recovery/recovery-state.ts";

/** The use of a passkey of an account, to sign in or to confirm an action. */
export interface PasskeyUse extends NotificationContext {
  readonly act: "cancelled_by_sign_in" | "cancelled_by_passkey";
  readonly device: string;
  readonly network: string;
}

/** The cancellation of a pending recovery when a passkey is used. */
export interface RecoveryCancellation {
  /** Cancels the recovery. Call it in the transaction that records the use. */
  cancel(tx: Db): Promise<void>;
  /** Notifies the mailer. Call it after the commit. */
  onCommit(): void;
}

/**
 * Prepares to cancel a pending recovery when a passkey is used, and to notify current and recent addresses. Sends no
 * mail if the recovery began after this call. `db` must be the outer handle.
 */
export async function prepareRecoveryCancellation(
  db: Db,
  services: RecoveryStateServices & { readonly mailer: Mailer },
  account: Account,
  passkeyUse: PasskeyUse,
): Promise<RecoveryCancellation> {
  const { act, device, network, now } = passkeyUse;
  const { columns } = await readState(db, services, account.id);
  const notification = columns.recovery_id === null ? undefined : await prepareNotificationToAllAddresses(
    db,
    services,
    account,
    passkeyUse,
    (heading) => recoveryMail("cancelled", { ...heading, device, network }),
  );
  let isCancelled = false;
  return {
    cancel: async (tx) => {
      isCancelled = await cancelPendingRecovery(tx, services, { accountId: account.id, act, now });
      if (isCancelled) await notification?.enqueue(tx);
    },
    onCommit: () => {
      if (isCancelled) notification?.queued();
    },
  };
}
