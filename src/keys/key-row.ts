import { findKeyPolicyEntry, knownRevision } from "../audit/key-policy.ts";
import type { KeyPlace } from "../audit/key-policy.ts";
import type { AuditHead } from "../audit/stored-entry.ts";
import { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { toTermColumns } from "./policy-state.ts";
import type { TermColumns } from "./policy-state.ts";

/** What makes a key: the vault that derives it and the authority that seals its row. */
export interface KeyMaker {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

/** A key's row. */
export type KeyRow = Authentic<"ethereum_key">;

/**
 * The least revision that a key's row must have by what the log tells of its policy: one of less is from before, our own,
 * and was put back. The log is asked each time, so that it holds in every process and after each start.
 */
async function leastRevision(db: Db, vault: Vault, row: KeyRow): Promise<number> {
  const place = { accountId: row.account_id, keyIndex: row.key_index };
  const known = knownRevision(db, place);
  const told = await findKeyPolicyEntry(db, vault, place);
  return told === "altered" ? Infinity : Math.max(told?.detail.revision ?? 0, known);
}

/**
 * The row of the account's key of that id. Somebody else's key is `not_found` like one that does not exist, and so is
 * one whose row is older than its policy.
 */
export async function getKeyRow(
  db: Db,
  { vault, authority }: KeyMaker,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyRow> {
  const asked = { account_id: accountId, id: keyId };
  const find = () => findRow(db, authority, "ethereum_key", "ofAccountById", asked);
  let row = await find();
  const least = row === undefined ? 0 : await leastRevision(db, vault, row);
  const isOutdated = (): boolean => (row?.revision ?? 0) < least;
  // Outside of a transaction it may have been changed since it was read, with the entry that was read after it.
  if (isOutdated() && !db.isTransaction) row = await find();
  if (row !== undefined && !isOutdated()) return row;
  if (row !== undefined) authority.reject("ethereum_key", row);
  throw new ProtocolError("not_found", "There is no such key");
}

/** The number of a row's next version. */
export function nextRevision({ revision }: KeyRow): number {
  return (revision ?? 0) + 1;
}

/** The terms of a key whose row was lost, as the log tells them; those of a new key where it tells nothing. */
export async function lostTerms(
  tx: Db,
  vault: Vault,
  place: KeyPlace,
): Promise<TermColumns & Pick<KeyRow, "revision">> {
  const told = await findKeyPolicyEntry(tx, vault, place);
  if (told === "altered" || knownRevision(tx, place) > (told?.detail.revision ?? 0)) {
    throw new DatabaseError("wrong_row", "Cannot make key: what the log tells of its policy was altered");
  }
  if (told === undefined) return { revision: null, ...toTermColumns({ policy: null, change: null }) };
  const { revision, policy, change, changeAt } = told.detail;
  return { revision, policy, policy_change: change, policy_change_at: changeAt };
}

/**
 * The entry of the log that tells last of a key's policy; undefined where none does. The key must have been got just
 * now.
 */
export async function findPolicyEntry(
  db: Db,
  { vault }: KeyMaker,
  { accountId, keyIndex }: KeyPlace,
): Promise<AuditHead | undefined> {
  const told = await findKeyPolicyEntry(db, vault, { accountId, keyIndex });
  return told === undefined || told === "altered" ? undefined : told.head;
}
