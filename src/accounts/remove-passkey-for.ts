import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type AdministratorAct, getAnyAccount, runAndNotify } from "./manage-account.ts";
import { endPasskey } from "./manage-passkey.ts";
import type { NotificationContext } from "./notification.ts";
import { getPasskey } from "./passkey/passkey.ts";
import type { AccountServices } from "./services.ts";

/**
 * Removes a passkey of an account as its administrator, with the sessions that it opened, and notifies the owner by
 * mail. Throws `not_found`, `authentication_required`, and `last_passkey` for the only one, because the account would
 * be lost. `db` must be the outer handle.
 */
export async function removePasskeyFor(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  act: AdministratorAct & NotificationContext & { readonly passkeyId: string },
): Promise<void> {
  const { accountId, passkeyId, done, now } = act;
  await getAnyAccount(db, services.authority, accountId);
  const { name } = await getPasskey(db, services.authority, { accountId, passkeyId });
  await runAndNotify(db, services, { ...act, act: "passkey_removed", name }, async (tx) => {
    const sessions = await endPasskey(tx, services, act);
    await appendAudit(tx, services.vault, now, {
      event: "passkey_removed_for",
      accountId,
      subject: passkeyId,
      detail: { ...done, sessions },
    });
    return { sessions };
  });
}
