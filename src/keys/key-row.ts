import { findKeyPolicyEntry, type KeyPlace, knownRevision } from "../audit/key-policy.ts";
import type { AuditHead } from "../audit/stored-entry.ts";
import { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { type PolicyColumns, toPolicyColumns } from "./policy-state.ts";

export interface KeyMaker {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

export type KeyRow = Authentic<"ethereum_key">;

/**
 * Returns the minimum revision of a key's row according to the audit log. A lower one is an authentic but outdated
 * row that was restored. Reads the log on each call, so that the check holds in every process.
 */
async function leastRevision(db: Db, vault: Vault, row: KeyRow): Promise<number> {
  const place = { accountId: row.account_id, keyIndex: row.key_index };
  const known = knownRevision(db, place);
  const entry = await findKeyPolicyEntry(db, vault, place);
  return entry === "altered" ? Infinity : Math.max(entry?.detail.revision ?? 0, known);
}

/** Throws `not_found` if the account has no such key or its row is older than its policy. */
export async function getKeyRow(
  db: Db,
  { vault, authority }: KeyMaker,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyRow> {
  const where = { account_id: accountId, id: keyId };
  const find = () => findRow(db, authority, "ethereum_key", "ofAccountById", where);
  let row = await find();
  const least = row === undefined ? 0 : await leastRevision(db, vault, row);
  const isOutdated = (): boolean => (row?.revision ?? 0) < least;
  // Outside a transaction, a concurrent change may have written its log entry after the row was read.
  if (isOutdated() && !db.isTransaction) row = await find();
  if (row !== undefined && !isOutdated()) return row;
  if (row !== undefined) authority.reportRejected("ethereum_key", row);
  throw new ProtocolError("not_found", "There is no such key");
}

export function nextRevision({ revision }: KeyRow): number {
  return (revision ?? 0) + 1;
}

/** Returns the policy columns that the audit log holds of a lost key, or those of a new key. */
export async function strictestPolicyState(
  tx: Db,
  vault: Vault,
  place: KeyPlace,
): Promise<PolicyColumns & Pick<KeyRow, "revision">> {
  const entry = await findKeyPolicyEntry(tx, vault, place);
  if (entry === "altered" || knownRevision(tx, place) > (entry?.detail.revision ?? 0)) {
    throw new DatabaseError(
      "wrong_row",
      "Cannot create key: the record of its policy in the log was changed",
    );
  }
  if (entry === undefined) return { revision: null, ...toPolicyColumns({ policy: null, change: null }) };
  const { revision, policy, change, changeAt } = entry.detail;
  return { revision, policy, policy_change: change, policy_change_at: changeAt };
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
