import { type AdministratorAct, getAnyAccount, runAndNotify } from "../accounts/manage-account.ts";
import type { NotificationContext } from "../accounts/notification.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Mailer } from "../mail/mailer.ts";
import { listRows } from "../store/read.ts";
import { removeRow } from "../store/write.ts";
import { findClient } from "./client/client.ts";
import { endGrant, listGrants } from "./grant.ts";
import type { OAuthServices } from "./services.ts";

/**
 * Ends the consents and grants of an account to a client as its administrator, with their codes and tokens, and
 * notifies the owner by mail. Throws `not_found`, also if there are none, and `authentication_required`. `db` must be
 * the outer handle.
 */
export async function endAccessFor(
  db: Db,
  services: Pick<OAuthServices, "vault" | "authority"> & { readonly mailer: Mailer },
  act: AdministratorAct & NotificationContext & { readonly clientId: string },
): Promise<void> {
  const { accountId, clientId, done, now } = act;
  const { authority, vault } = services;
  await getAnyAccount(db, authority, accountId);
  const client = await findClient(db, authority, clientId);
  if (client === undefined) throw new ProtocolError("not_found", "There is no such application");
  await runAndNotify(db, services, { ...act, act: "access_ended", name: client.name }, async (tx) => {
    const where = { account_id: accountId, client_id: clientId };
    const consents = await listRows(tx, authority, "consent", "toClient", where);
    const grants = await listGrants(tx, authority, { accountId, clientId });
    if (consents.length + grants.length === 0) {
      throw new ProtocolError("not_found", "The application has no access to this account");
    }
    for (const consent of consents) await removeRow(tx, authority, "consent", consent);
    for (const grant of grants) {
      await endGrant(tx, services, { grant, reason: "ended_by_administrator", now });
    }
    await appendAudit(tx, vault, now, {
      event: "access_ended_for",
      accountId,
      subject: clientId,
      detail: done,
    });
    return grants;
  });
}
