import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import { engineState } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { linkedEntries, type StoredEntry, verifiedEntry } from "./stored-entry.ts";

/** The maximum number of accounts in the cache: a few MB. */
const REMEMBERED = 65_536;

const REVISIONS = Symbol("revisions of recovery settings in the log");

function revisionsIn(db: Db): Map<string, number> {
  return engineState(db, REVISIONS, (): Map<string, number> => new Map());
}

/** Caches a revision, so that hiding its entry from an index has no effect. Call it while reading the whole log. */
export function noteRecovery(db: Db, { event, account_id, detail }: StoredEntry): void {
  if (event !== "recovery_changed" || account_id === null) return;
  const { revision } = JSON.parse(detail) as AuditDetails["recovery_changed"];
  const revisions = revisionsIn(db);
  if (revision <= (revisions.get(account_id) ?? 0)) return;
  // Moves the account to the end, so that the first one is the least recently updated.
  revisions.delete(account_id);
  if (revisions.size >= REMEMBERED) revisions.delete(revisions.keys().next().value!);
  revisions.set(account_id, revision);
}

/** Returns the minimum revision of an account's recovery row according to the log read so far; 0 if unknown. */
export function knownRecoveryRevision(db: Db, accountId: string): number {
  return revisionsIn(db).get(accountId) ?? 0;
}

/** A recovery entry. `subject` is the recovery, if any. */
export interface RecoveryEntry {
  readonly subject: string | null;
  readonly detail: AuditDetails["recovery_changed"];
}

/** Selects only a number: most accounts have no entry, and this costs half as much as reading one. */
const selectNumber = prepared((db, slot: Slot<{ accountId: string }>) =>
  db.selectFrom("audit_event").select("seq")
    .where("account_id", "=", slot("accountId"))
    .where("event", "=", sql.lit("recovery_changed"))
    .orderBy("seq", "desc").limit(sql.lit(1))
);

const selectLatest = prepared((db, slot: Slot<{ accountId: string }>) =>
  linkedEntries(db)
    .where("audit_event.account_id", "=", slot("accountId"))
    // The literal is written as in the index.
    .where("audit_event.event", "=", sql.lit("recovery_changed"))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * Returns the newest recovery entry of an account, undefined without one, or `altered` if it is not authentic.
 * Verifies the entry with the hash before it. Does not prove that it is the newest: removing a newer entry breaks the
 * chain or cuts the log, which `verifyAudit` and `catchUp` detect.
 */
export async function findRecoveryEntry(
  db: Db,
  vault: Vault,
  accountId: string,
): Promise<RecoveryEntry | "altered" | undefined> {
  if ((await selectNumber(db, { accountId })).length === 0) return undefined;
  const [row] = await selectLatest(db, { accountId });
  if (row === undefined) return undefined;
  const entry = verifiedEntry(vault, row);
  if (entry === undefined) return "altered";
  if (entry.account_id !== accountId || entry.event !== "recovery_changed") return "altered";
  return { subject: entry.subject, detail: JSON.parse(entry.detail) as RecoveryEntry["detail"] };
}
