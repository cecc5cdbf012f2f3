import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import { type Account, changePerson, findAccount } from "./account.ts";
import type { AccountServices } from "./services.ts";
import { requireSession, type SignedIn } from "./session/session.ts";

/**
 * Changes the account's name, which clients see as `name`. Null removes it. Does nothing if the name is unchanged.
 * Throws `rate_limited`. Throws `authentication_required` if the session has ended. Does not validate the name:
 * `readAccountName` does.
 */
export async function renameAccount(
  db: Db,
  { vault, authority, limits }: AccountServices,
  { signedIn: { session, account }, name, now }: {
    readonly signedIn: SignedIn;
    readonly name: string | null;
    readonly now: Instant;
  },
): Promise<Account> {
  if (account.name === name) return account;
  return await transaction(db, async (tx) => {
    const accountId = account.id;
    await requireSession(tx, authority, session);
    // A concurrent request may have made the same change.
    const before = await findAccount(tx, authority, accountId);
    if (before?.name === name) return before;
    await limits.take(tx, "account_rename", accountId, now);
    const renamed = await changePerson(tx, authority, accountId, { name });
    await appendAudit(tx, vault, now, {
      event: "account_renamed",
      accountId,
      subject: accountId,
      detail: { version: renamed.version },
    });
    return renamed;
  });
}
