import type { Account } from "../accounts/account.ts";
import { type Notification, prepareNotificationToAllAddresses } from "../accounts/notification.ts";
import type { AccountServices, RelyingParty } from "../accounts/services.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { recoveryMail, type RecoveryMailAct, type RecoveryMailEvent } from "../mail/recovery-mail.ts";

export type RecoveryServices = AccountServices & { readonly mailer: Mailer };

export interface OperationContext {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

export interface Place {
  readonly device: string;
  readonly network: string;
}

/**
 * Prepares a mail to the current and all recently replaced addresses, because the person who recovers the account may
 * have changed the address. `db` must be the outer handle.
 */
export async function prepareRecoveryNotification(
  db: Db,
  services: Pick<RecoveryServices, "vault" | "authority" | "mailer">,
  account: Account,
  context: OperationContext,
  [act, mailEvent]: readonly [
    RecoveryMailAct,
    Omit<RecoveryMailEvent, "to" | "language" | "baseUrl" | "at"> & { at?: number },
  ],
): Promise<Notification> {
  return await prepareNotificationToAllAddresses(
    db,
    services,
    account,
    context,
    (heading) => recoveryMail(act, { ...heading, ...mailEvent }),
  );
}
