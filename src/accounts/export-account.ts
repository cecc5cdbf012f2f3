import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { accountExportedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type NotificationContext, prepareNotificationToAllAddresses } from "./notification.ts";
import type { AccountServices } from "./services.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import type { SignedIn } from "./session/session.ts";

export interface ExportRequest extends NotificationContext {
  readonly signedIn: SignedIn;
  readonly device: string;
  readonly network: string;
}

/**
 * Permits one export of the account's data, records it, and notifies current and recent addresses. Throws
 * `fresh_session_required` and `rate_limited`. `db` must be the outer handle.
 */
export async function beginExport(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  request: ExportRequest,
): Promise<void> {
  const { signedIn: { session, account }, device, network, now } = request;
  const act = { session, action: "export_account", now } as const;
  requireFreshSession(act);
  const notification = await prepareNotificationToAllAddresses(
    db,
    services,
    account,
    request,
    (heading) => accountExportedMail({ ...heading, device, network }),
  );
  await transaction(db, async (tx) => {
    await services.limits.take(tx, "account_export", account.id, now);
    await consumeFreshness(tx, services.authority, act);
    await notification.enqueue(tx);
    await appendAudit(tx, services.vault, now, {
      event: "account_exported",
      accountId: account.id,
      subject: session.id,
      detail: {},
    });
  });
  notification.queued();
}
