import type { Db } from "../db/schema/schema.ts";
import { administratorMail, type AdministratorMailAct } from "../mail/account-mail.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { Account } from "./account.ts";
import {
  type Heading,
  type Notification,
  type NotificationContext,
  prepareNotificationToAllAddresses,
} from "./notification.ts";

export interface NotifyingServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly mailer: Mailer;
}

/**
 * Prepares the mail about an act of an administrator, for the current and all recently replaced addresses. `name` is
 * that of the passkey, application or group. `db` must be the outer handle.
 */
export function prepareAdministratorMail(
  db: Db,
  services: NotifyingServices,
  { account, context, act, name = "" }: {
    readonly account: Account;
    readonly context: NotificationContext;
    readonly act: AdministratorMailAct;
    readonly name?: string;
  },
): Promise<Notification> {
  const write = (heading: Heading): Mail => administratorMail({ ...heading, act, name });
  return prepareNotificationToAllAddresses(db, services, account, context, write);
}
