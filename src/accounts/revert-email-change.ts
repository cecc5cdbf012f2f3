import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { emailTakenBackMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { changePerson, findAnyAccount, isTakenAddress } from "./account.ts";
import type { Account } from "./account.ts";
import { stopDeletion } from "./request-deletion.ts";
import { consumeEmailChange, findEmailChange } from "./email/email-change.ts";
import type { EmailChange } from "./email/email-change.ts";
import { prepareNotice } from "./notification.ts";
import { cancelWaiting } from "./recovery/recovery-state.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { endAllSessions } from "./session/logout-notification.ts";
import type { Ending } from "./session/logout-notification.ts";

/** A change that is taken back by whoever has the link, and from where. */
export interface TakeBack {
  /** What the link carries. */
  readonly text: string;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** The one refusal of a link. */
function overAndDone(): ProtocolError {
  return new ProtocolError("not_found", "This link was used, has expired or is not whole");
}

/**
 * Gives an account the address back that it had before a change: the link of that change, once, within its seven days.
 * All later changes go with it, every session ends, and a deletion or a recovery that waits is over: the address that
 * codes go to is another one now. Both addresses are told. Keys, passkeys, tokens and applications stay, and nobody is
 * signed in. Throws `not_found` for a link that is none or was used, of two at once for one of them. `db` must be the
 * outer handle.
 */
export async function takeBackEmail(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  takeBack: TakeBack,
): Promise<void> {
  const { authority } = services;
  const change = await findEmailChange(db, authority, takeBack);
  const account = change && await findAnyAccount(db, authority, change.account_id);
  if (change === undefined || account === undefined) throw overAndDone();
  const { device, network } = takeBack;
  const told = new Set([change.old_email, change.new_email, account.email]);
  const notices = [...told].map((email) =>
    prepareNotice(
      services,
      { ...account, email },
      takeBack,
      (heading) => emailTakenBackMail({ ...heading, device, network, isOwn: email === change.old_email }),
    )
  );
  await transaction(db, async (tx) => {
    await restore(tx, services, { change, account, ending: takeBack });
    for (const notice of notices) await notice.enqueue(tx);
  });
  for (const notice of notices) notice.queued();
}

async function restore(
  tx: Db,
  { vault, authority }: AccountServices,
  { change, account, ending }: {
    readonly change: EmailChange;
    readonly account: Account;
    readonly ending: Ending;
  },
): Promise<void> {
  const { now } = ending;
  const accountId = account.id;
  const email = change.old_email;
  const later = await consumeEmailChange(tx, authority, change);
  if (later === undefined) throw overAndDone();
  // It was kept for this account all the while: what has it now was not put there by us.
  if (await isTakenAddress(tx, authority, { email, now, except: accountId })) throw overAndDone();
  const { version } = await changePerson(tx, authority, accountId, { email });
  const sessions = await endAllSessions(tx, authority, accountId, ending);
  await stopDeletion(tx, { vault, authority }, { accountId, by: "old_address", now });
  await cancelWaiting(tx, { vault, authority }, { accountId, act: "cancelled_by_old_address", now });
  await appendAudit(tx, vault, now, {
    event: "email_change_taken_back",
    accountId,
    subject: change.id,
    detail: { version, later, sessions },
  });
}
