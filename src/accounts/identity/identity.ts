import type { Db } from "../../db/schema.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow } from "../../store/read.ts";
import { insertUnlessTaken } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findAnyAccount } from "../account.ts";
import type { AnyAccount } from "../account.ts";

/** Who somebody is at another provider. An address is never part of it: addresses change hands. */
export interface IdentityName {
  readonly issuer: string;
  readonly subject: string;
}

/** The account that an identity is linked to, a disabled one too; undefined when there is none or a row is not authentic. */
export async function findAccountByIdentity(
  db: Db,
  authority: RowAuthority,
  { issuer, subject }: IdentityName,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "identity", "byName", { issuer, subject });
  return row === undefined ? undefined : await findAnyAccount(db, authority, row.account_id);
}

/** Links an identity to an account and answers the link's id; undefined, and nothing done, when anybody has the identity. */
export async function insertIdentity(
  tx: Db,
  authority: RowAuthority,
  value: IdentityName & { readonly accountId: string; readonly now: Instant; readonly random: RandomBytes },
): Promise<string | undefined> {
  const row = await insertUnlessTaken(tx, authority, "identity", "byName", {
    id: newId("identity", value.random),
    issuer: value.issuer,
    subject: value.subject,
    account_id: value.accountId,
    created_at: value.now,
  });
  return row?.id;
}
