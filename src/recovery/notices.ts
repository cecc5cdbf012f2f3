import type { Account } from "../accounts/account.ts";
import { prepareNotices } from "../accounts/notice.ts";
import type { Notice } from "../accounts/notice.ts";
import type { Db } from "../db/schema.ts";
import { recoveryMail } from "../mail/recovery-mail.ts";
import type { RecoveryNews, RecoveryNewsAct } from "../mail/recovery-mail.ts";
import type { Moment, RecoveryServices } from "./services.ts";

/**
 * A mail to each address that is or lately was the account's: whoever changed it lately may be the one who recovers the
 * account now. Ready to be queued, as `prepareNotice` makes one. `db` must be the outer handle.
 */
export async function prepareNews(
  db: Db,
  services: Pick<RecoveryServices, "vault" | "authority" | "mailer">,
  account: Account,
  moment: Moment,
  [act, news]: readonly [
    RecoveryNewsAct,
    Omit<RecoveryNews, "to" | "language" | "baseUrl" | "at"> & { at?: number },
  ],
): Promise<Notice> {
  return await prepareNotices(
    db,
    services,
    account,
    moment,
    (heading) => recoveryMail(act, { ...heading, ...news }),
  );
}
