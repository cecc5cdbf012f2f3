import type { Db } from "../db/schema/schema.ts";
import { administratorMail, type AdministratorMailAct } from "../mail/account-mail.ts";
import type { Mail } from "../mail/mailer.ts";
import type { Account } from "./account.ts";
import {
  type Heading,
  type Notification,
  type NotificationContext,
  type NotifyingServices,
  prepareNotificationToAllAddresses,
} from "./notification.ts";

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
