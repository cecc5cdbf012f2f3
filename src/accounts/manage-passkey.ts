import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { passkeyRemovedMail } from "../mail/account-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { listRows } from "../store/read.ts";
import { removeRow, replaceRow } from "../store/write.ts";
import { consumeFreshness, requireFreshSession, withdrawStepUps } from "./session/fresh-session.ts";
import { prepareNotification } from "./notification.ts";
import { getPasskey, getPasskeyRow, listPasskeys, type Passkey, toPasskey } from "./passkey/passkey.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { recordRemoval } from "./passkey/removed-passkey.ts";
import { type EndingContext, endSessionRows } from "./session/logout-notification.ts";
import type { SignedIn } from "./session/session.ts";

/** Throws `not_found`. Does not validate the name: `readPasskeyName` does. */
export async function renamePasskey(
  db: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { accountId, passkeyId, name, now }: { accountId: string; passkeyId: string; name: string; now: Instant },
): Promise<Passkey> {
  return await transaction(db, async (tx) => {
    const row = await getPasskeyRow(tx, authority, { accountId, passkeyId });
    if (row.name === name) return toPasskey(row);
    const renamed = await replaceRow(tx, authority, "passkey", row, { name });
    await appendAudit(tx, vault, now, {
      event: "passkey_renamed",
      accountId,
      subject: passkeyId,
      detail: {},
    });
    return toPasskey(renamed);
  });
}

export interface PasskeyRemoval {
  readonly signedIn: SignedIn;
  readonly passkeyId: string;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * Removes a passkey and notifies the owner by mail. Ends every session that the passkey opened, possibly the current
 * one, and withdraws the step-ups of all others. Throws `fresh_session_required`, `not_found`, and `last_passkey` for
 * the only one. Of two concurrent removals the transactions leave one passkey. Rows that are not authentic do not
 * count. `db` must be the outer handle.
 */
export async function removePasskey(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  removal: PasskeyRemoval,
): Promise<{ readonly endedThisSession: boolean }> {
  const { signedIn: { session, account }, passkeyId, device, network, now, random } = removal;
  requireFreshSession({ session, action: `delete_passkey:${passkeyId}`, now });
  const passkey = await getPasskey(db, services.authority, { accountId: account.id, passkeyId });
  const notification = prepareNotification(
    services,
    account,
    removal,
    (heading) => passkeyRemovedMail({ ...heading, name: passkey.name, device, network }),
  );
  await transaction(db, async (tx) => {
    await consumeFreshness(tx, services.authority, {
      session,
      action: `delete_passkey:${passkeyId}`,
      now,
    });
    const sessions = await endPasskey(tx, services, { accountId: account.id, passkeyId, now, random });
    await appendAudit(tx, services.vault, now, {
      event: "passkey_removed",
      accountId: account.id,
      subject: passkeyId,
      detail: { sessions },
    });
    await notification.enqueue(tx);
  });
  notification.queued();
  return { endedThisSession: session.passkeyId === passkeyId };
}

/**
 * Deletes a passkey and ends the sessions that it opened. Returns their number. The caller records why. Throws
 * `not_found`, and `last_passkey` for the only one.
 */
export async function endPasskey(
  tx: Db,
  { authority }: Pick<AccountServices, "authority">,
  { accountId, passkeyId, now, random }: { accountId: string; passkeyId: string } & EndingContext,
): Promise<number> {
  const row = await getRemovablePasskey(tx, authority, { accountId, passkeyId });
  const sessions = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
  const opened = sessions.filter((session) => session.passkey_id === passkeyId);
  await endSessionRows(tx, authority, opened, { now, random });
  // A session that another passkey opened may have been stepped up with this one.
  await withdrawStepUps(tx, authority, accountId);
  await recordRemoval(tx, authority, { passkey: row, now });
  await removeRow(tx, authority, "passkey", row);
  return opened.length;
}

/** Returns the passkey's row. Throws `last_passkey` if the account has no other. */
async function getRemovablePasskey(
  tx: Db,
  authority: AccountServices["authority"],
  { accountId, passkeyId }: { accountId: string; passkeyId: string },
): Promise<Authentic<"passkey">> {
  const row = await getPasskeyRow(tx, authority, { accountId, passkeyId });
  const all = await listPasskeys(tx, authority, accountId);
  if (all.length > 1) return row;
  throw new ProtocolError(
    "last_passkey",
    "Cannot delete passkey: it is the account's only one; add another first",
  );
}
