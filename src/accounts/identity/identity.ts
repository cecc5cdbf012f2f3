import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { insertUnlessTaken, takeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findAnyAccount } from "../account.ts";
import type { AnyAccount } from "../account.ts";

/** Who somebody is at another provider. An address is never part of it: addresses change hands. */
export interface IdentityName {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * The account that an identity is linked to, a disabled one too; undefined when there is none or a row is not
 * authentic.
 */
export async function findAccountByIdentity(
  db: Db,
  authority: RowAuthority,
  { issuer, subject }: IdentityName,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "identity", "byName", { issuer, subject });
  return row === undefined ? undefined : await findAnyAccount(db, authority, row.account_id);
}

/**
 * Links an identity to an account and answers the link's id; undefined, and nothing done, when anybody has the
 * identity.
 */
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

/** A link to somebody's identity at another provider, as its owner sees it. */
export interface LinkedIdentity extends IdentityName {
  readonly id: string;
  readonly createdAt: Instant;
}

function toLinked(row: Authentic<"identity">): LinkedIdentity {
  return { id: row.id, issuer: row.issuer, subject: row.subject, createdAt: row.created_at };
}

/** The identities that an account is linked to, the oldest first. */
export async function listIdentities(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly LinkedIdentity[]> {
  const rows = await listRows(db, authority, "identity", "ofAccount", { account_id: accountId });
  return rows.map(toLinked);
}

/** Removes a link of the account and answers what it was. Throws `not_found` for one that is gone or somebody else's. */
export async function takeIdentity(
  tx: Db,
  authority: RowAuthority,
  { accountId, identityId }: { readonly accountId: string; readonly identityId: string },
): Promise<LinkedIdentity> {
  const asked = { account_id: accountId, id: identityId };
  const row = await takeRow(tx, authority, "identity", "ofAccountById", asked);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such link");
  return toLinked(row);
}
