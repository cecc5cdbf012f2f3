import { findAccountVersion } from "../../audit/account-version.ts";
import { DatabaseError } from "../../db/error.ts";
import type { Db } from "../../db/schema.ts";
import { findRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";

/**
 * Throws `wrong_row` where an account's row is one from before what the log tells of, with the address, name or state
 * that the account had then: it is our own and was put back. For whatever proves who somebody is or loosens something,
 * where the log is asked anyway: in every process and after each start none of that is done by such a row.
 */
export async function requireLatestAccount(
  tx: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  accountId: string,
): Promise<void> {
  const told = await findAccountVersion(tx, vault, accountId);
  const row = await findRow(tx, authority, "account", "byId", { id: accountId });
  if (row === undefined) return;
  if (told !== "altered" && (row.revision ?? 0) >= told) return;
  if (told !== "altered") authority.reject("account", row);
  throw new DatabaseError("wrong_row", "Cannot use account: the log tells of a later version of it");
}
