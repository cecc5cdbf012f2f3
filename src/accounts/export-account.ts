import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { accountExportedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { prepareNotices } from "./notification.ts";
import type { Occasion } from "./notification.ts";
import type { AccountServices } from "./services.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import type { SignedIn } from "./session/session.ts";

/** All that is known of whoever is signed in is to go out as a file, to where. */
export interface ExportWish extends Occasion {
  readonly signedIn: SignedIn;
  readonly device: string;
  readonly network: string;
}

/**
 * Lets one file go out with all that is known of whoever is signed in, records it, and tells each address that is or
 * lately was the account's. Throws `fresh_session_required` unless the sign-in, or a step-up for this, is less than ten
 * minutes old, and `rate_limited`. `db` must be the outer handle.
 */
export async function beginExport(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  wish: ExportWish,
): Promise<void> {
  const { signedIn: { session, account }, device, network, now } = wish;
  const act = { session, action: "export_account", now } as const;
  requireFreshSession(act);
  const notice = await prepareNotices(
    db,
    services,
    account,
    wish,
    (heading) => accountExportedMail({ ...heading, device, network }),
  );
  await transaction(db, async (tx) => {
    await services.limits.take(tx, "account_export", account.id, now);
    await consumeFreshness(tx, services.authority, act);
    await notice.enqueue(tx);
    await appendAudit(tx, services.vault, now, {
      event: "account_exported",
      accountId: account.id,
      subject: session.id,
      detail: {},
    });
  });
  notice.queued();
}
