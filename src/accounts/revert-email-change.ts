import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { emailRevertedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Account, changeProfile, findAnyAccount, isAddressTaken } from "./account.ts";
import { stopDeletion } from "./request-deletion.ts";
import { consumeEmailChange, type EmailChange, findEmailChange } from "./email/email-change.ts";
import { prepareNotification } from "./notification.ts";
import { cancelPendingRecovery } from "./recovery/recovery-state.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { endAllSessions, type EndingContext } from "./session/logout-notification.ts";

export interface EmailChangeReversal {
  /** The token in the link. */
  readonly text: string;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

function invalidLink(): ProtocolError {
  return new ProtocolError("not_found", "This link was used, has expired or is incomplete");
}

/**
 * Restores the address that an account had before a change. The link works once, within seven days. Reverts all later
 * changes, ends every session, and cancels a pending deletion and recovery, because codes now go to another address.
 * Notifies both addresses. Keeps keys, passkeys, tokens and grants, and signs no user in. Throws `not_found` if the
 * link is invalid, expired or used. `db` must be the outer handle.
 */
export async function revertEmailChange(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  reversal: EmailChangeReversal,
): Promise<void> {
  const { authority } = services;
  const change = await findEmailChange(db, authority, reversal);
  const account = change && await findAnyAccount(db, authority, change.account_id);
  if (change === undefined || account === undefined) throw invalidLink();
  const { device, network } = reversal;
  const recipients = new Set([change.old_email, change.new_email, account.email]);
  const notifications = [...recipients].map((email) =>
    prepareNotification(
      services,
      { ...account, email },
      reversal,
      (heading) => emailRevertedMail({ ...heading, device, network, isOwn: email === change.old_email }),
    )
  );
  await transaction(db, async (tx) => {
    await restore(tx, services, { change, account, ending: reversal });
    for (const notification of notifications) await notification.enqueue(tx);
  });
  for (const notification of notifications) notification.queued();
}

async function restore(
  tx: Db,
  { vault, authority }: AccountServices,
  { change, account, ending }: {
    readonly change: EmailChange;
    readonly account: Account;
    readonly ending: EndingContext;
  },
): Promise<void> {
  const { now } = ending;
  const accountId = account.id;
  const { old_email: email, old_email_proved_by: emailProvedBy } = change;
  const later = await consumeEmailChange(tx, authority, change);
  if (later === undefined) throw invalidLink();
  // The address was reserved for this account, so a row that has it now is not one that the service wrote.
  if (await isAddressTaken(tx, authority, { email, now, except: accountId })) throw invalidLink();
  const { version } = await changeProfile(tx, authority, accountId, { email, emailProvedBy }, now);
  const sessions = await endAllSessions(tx, authority, accountId, ending);
  await stopDeletion(tx, { vault, authority }, { accountId, by: "old_address", now });
  await cancelPendingRecovery(tx, { vault, authority }, { accountId, act: "cancelled_by_old_address", now });
  await appendAudit(tx, vault, now, {
    event: "email_change_taken_back",
    accountId,
    subject: change.id,
    detail: { version, later, sessions },
  });
}
