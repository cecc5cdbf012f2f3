import { findKeyPolicyEntry, type KeyPlace } from "../audit/key-policy.ts";
import type { AuditHead } from "../audit/stored-entry.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

export interface KeyMaker {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

export type KeyRow = Authentic<"ethereum_key">;

/** Throws `not_found` if the account has no such key. */
export async function getKeyRow(
  db: Db,
  { authority }: KeyMaker,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyRow> {
  const where = { account_id: accountId, id: keyId };
  const row = await findRow(db, authority, "ethereum_key", "ofAccountById", where);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such key");
  return row;
}

export function nextRevision({ revision }: KeyRow): number {
  return (revision ?? 0) + 1;
}

/** Returns the newest audit entry about a key's policy, if any. Call it right after the key was read. */
export async function findPolicyEntry(
  db: Db,
  { vault }: KeyMaker,
  { accountId, keyIndex }: KeyPlace,
): Promise<AuditHead | undefined> {
  const entry = await findKeyPolicyEntry(db, vault, { accountId, keyIndex });
  return entry === undefined || entry === "altered" ? undefined : entry.head;
}
