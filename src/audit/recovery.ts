import { sql } from "kysely";
import { prepared } from "../db/prepared-statement.ts";
import type { Slot } from "../db/prepared-statement.ts";
import { processMemory } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { linkedEntries, provenEntry } from "./stored-entry.ts";
import type { StoredEntry } from "./stored-entry.ts";

/** Accounts whose way back is known are remembered up to so many: a few MB. */
const REMEMBERED = 65_536;

const TOLD = Symbol("revisions of accounts' ways back that the log tells of");

function revisionsIn(db: Db): Map<string, number> {
  return processMemory(db, TOLD, (): Map<string, number> => new Map());
}

/**
 * Remembers what a proven entry says of an account's way back, for `knownRecoveryRevision`: an index of the log that
 * leaves the entry out is no use then. For whoever reads the log from end to end.
 */
export function noteRecovery(db: Db, { event, account_id, detail }: StoredEntry): void {
  if (event !== "recovery_changed" || account_id === null) return;
  const { revision } = JSON.parse(detail) as AuditDetails["recovery_changed"];
  const revisions = revisionsIn(db);
  if (revision <= (revisions.get(account_id) ?? 0)) return;
  // The one that was noted longest ago stands first.
  revisions.delete(account_id);
  if (revisions.size >= REMEMBERED) revisions.delete(revisions.keys().next().value!);
  revisions.set(account_id, revision);
}

/**
 * The least revision that an account's row must have by what this process has read of the log; 0 where it knows
 * nothing.
 */
export function knownRecoveryRevision(db: Db, accountId: string): number {
  return revisionsIn(db).get(accountId) ?? 0;
}

/**
 * An entry that tells of an account's way back from then on; `subject` is the recovery that it is about, if it is about
 * one.
 */
export interface RecoveryEntry {
  readonly subject: string | null;
  readonly detail: AuditDetails["recovery_changed"];
}

/** What is the newest one's number: nearly every account has none, and that costs half as much to see as to read one. */
const selectNumber = prepared((db, slot: Slot<{ accountId: string }>) =>
  db.selectFrom("audit_event").select("seq")
    .where("account_id", "=", slot("accountId"))
    .where("event", "=", sql.lit("recovery_changed"))
    .orderBy("seq", "desc").limit(sql.lit(1))
);

const selectLatest = prepared((db, slot: Slot<{ accountId: string }>) =>
  linkedEntries(db)
    .where("audit_event.account_id", "=", slot("accountId"))
    // The literal, as it stands in the index.
    .where("audit_event.event", "=", sql.lit("recovery_changed"))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * The newest entry about an account's way back; undefined where there is none, `altered` where the service did not write
 * it so. It is proven by itself and the hash before it. That there is no newer one is the database's word: whoever took
 * that out has broken the log's chain, or cut the log (`verifyAudit`, `watch.ts`).
 */
export async function findRecoveryEntry(
  db: Db,
  vault: Vault,
  accountId: string,
): Promise<RecoveryEntry | "altered" | undefined> {
  if ((await selectNumber(db, { accountId })).length === 0) return undefined;
  const [row] = await selectLatest(db, { accountId });
  if (row === undefined) return undefined;
  const entry = provenEntry(vault, row);
  if (entry === undefined) return "altered";
  if (entry.account_id !== accountId || entry.event !== "recovery_changed") return "altered";
  return { subject: entry.subject, detail: JSON.parse(entry.detail) as RecoveryEntry["detail"] };
}
