import type { Account } from "../accounts/account.ts";
import { prepareNotices } from "../accounts/notification.ts";
import type { Notice } from "../accounts/notification.ts";
import type { AccountServices, RelyingParty } from "../accounts/services.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { recoveryMail } from "../mail/recovery-mail.ts";
import type { RecoveryNews, RecoveryNewsAct } from "../mail/recovery-mail.ts";

/** What the stories of recoveries need besides the database. */
export type RecoveryServices = AccountServices & { readonly mailer: Mailer };

/** When something happens, and what its mail is made with. */
export interface Moment {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** From where somebody does it: as mails say it, and as limits count it. */
export interface Place {
  readonly device: string;
  readonly network: string;
}

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
