import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { listRows } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findAccountByEmail } from "../account.ts";

/**
 * Whether a normalised address belongs to an account, or did and can be taken back: nobody else gets it meanwhile. With
 * `except`, whether it does to another account than that one.
 */
export async function isTakenAddress(
  db: Db,
  authority: RowAuthority,
  { email, now, except }: {
    readonly email: string;
    readonly now: Instant;
    readonly except?: string;
  },
): Promise<boolean> {
  const account = await findAccountByEmail(db, authority, email);
  if (account !== undefined && account.id !== except) return true;
  const changes = await listRows(db, authority, "email_change", "ofOldEmail", { old_email: email });
  return changes.some((change) => change.expires_at > now && change.account_id !== except);
}
