import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { consumeRow, insertIfAbsent } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { type AnyAccount, findAnyAccount } from "../account.ts";

/** A user's identity at a provider. Excludes the address, because addresses change owners. */
export interface IdentityName {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns disabled accounts too. Returns undefined if not found or if a row is not authentic. */
export async function findAccountByIdentity(
  db: Db,
  authority: RowAuthority,
  { issuer, subject }: IdentityName,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "identity", "byName", { issuer, subject });
  return row === undefined ? undefined : await findAnyAccount(db, authority, row.account_id);
}

/** Returns the link's id, or undefined, without writing, if the identity is already linked. */
export async function insertIdentity(
  tx: Db,
  authority: RowAuthority,
  value: IdentityName & { readonly accountId: string; readonly now: Instant; readonly random: RandomBytes },
): Promise<string | undefined> {
  const row = await insertIfAbsent(tx, authority, "identity", "byName", {
    id: newId("identity", value.random),
    issuer: value.issuer,
    subject: value.subject,
    account_id: value.accountId,
    created_at: value.now,
  });
  return row?.id;
}

export interface LinkedIdentity extends IdentityName {
  readonly id: string;
  readonly createdAt: Instant;
}

function toLinked(row: Authentic<"identity">): LinkedIdentity {
  return { id: row.id, issuer: row.issuer, subject: row.subject, createdAt: row.created_at };
}

export async function listIdentities(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly LinkedIdentity[]> {
  const rows = await listRows(db, authority, "identity", "ofAccount", { account_id: accountId });
  return rows.map(toLinked);
}

/** Deletes a link and returns it. Throws `not_found` if the account has no such link. */
export async function removeIdentity(
  tx: Db,
  authority: RowAuthority,
  { accountId, identityId }: { readonly accountId: string; readonly identityId: string },
): Promise<LinkedIdentity> {
  const where = { account_id: accountId, id: identityId };
  const row = await consumeRow(tx, authority, "identity", "ofAccountById", where);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such link");
  return toLinked(row);
}
