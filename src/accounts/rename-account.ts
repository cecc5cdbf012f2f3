import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import { changePerson, findAccount } from "./account.ts";
import type { Account } from "./account.ts";
import type { AccountServices } from "./services.ts";
import { requireSession } from "./session/session.ts";
import type { SignedIn } from "./session/session.ts";

/**
 * Gives the account of whoever is signed in another name, or none (null): applications see it as `name`. Asking for what
 * is so already does nothing. Throws `rate_limited`. Does not check the name: `readAccountName` does.
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
    // Another request may have asked for the same meanwhile.
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
