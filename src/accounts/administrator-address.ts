import type { Db } from "../db/schema/schema.ts";
import { passInconsistent } from "../db/error.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import { findRow } from "../store/read.ts";
import { upsertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Account, findAccountByEmail, findAnyAccount } from "./account.ts";

/** Returns true if a code of this service verified the account's address, and not another provider. */
export function hasOwnAddress<A extends Pick<Account, "email" | "emailProvedBy">>(
  account: A,
): account is A & { readonly email: string } {
  return account.email !== null && account.emailProvedBy === "code";
}

/**
 * Binds an address in `ADMIN_ACCOUNTS` to an account that has it. Returns false if it is bound to another account,
 * until the state of that one shows that it was deleted or has another address. So an attacker with database access who
 * hides an administrator's account, and holds its mailbox, does not take its place. Throws `DatabaseError`
 * `inconsistent` if the bound account was hidden.
 */
export async function bindAddress(
  tx: Db,
  authority: RowAuthority,
  { id, email, now }: { readonly id: string; readonly email: string; readonly now: Instant },
): Promise<boolean> {
  const bound = await findRow(tx, authority, "administrator_address", "byEmail", { email });
  if (bound?.account_id === id) return true;
  const holder = bound && await findAnyAccount(tx, authority, bound.account_id);
  if (holder?.email === email) return false;
  const row = { email, account_id: id, created_at: now };
  await upsertRow(tx, authority, "administrator_address", "byEmail", row);
  return true;
}

/** Binds each of these addresses that an account has and that is bound to none. */
export async function bindFreeAddresses(
  db: Db,
  authority: RowAuthority,
  { adminAccounts, now }: { readonly adminAccounts: readonly string[]; readonly now: Instant },
): Promise<void> {
  for (const email of adminAccounts.filter((name) => name.includes("@"))) {
    try {
      const bound = await findRow(db, authority, "administrator_address", "byEmail", { email });
      if (bound !== undefined) continue;
      await transaction(db, async (tx) => {
        const account = await findAccountByEmail(tx, authority, email);
        if (account !== undefined && hasOwnAddress(account)) {
          await bindAddress(tx, authority, { id: account.id, email, now });
        }
      });
    } catch (error) {
      passInconsistent(error);
    }
  }
}
