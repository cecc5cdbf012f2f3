import { sql } from "kysely";
import { prepared } from "../db/prepared-statement.ts";
import type { Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditEventName, NewVersion } from "./event.ts";
import { linkedEntries, provenEntry } from "./stored-entry.ts";

/** What gives an account's row another version, as it stands in the index. */
const EVENTS = [
  "account_disabled",
  "account_enabled",
  "account_renamed",
  "email_changed",
  "email_change_taken_back",
] as const satisfies readonly AuditEventName[];

const selectLatest = prepared((db, slot: Slot<{ accountId: string }>) =>
  linkedEntries(db)
    .where("audit_event.account_id", "=", slot("accountId"))
    // A chain, as it stands in the index: SQLite does not see that a list says the same.
    .where((entry) => entry.or(EVENTS.map((event) => entry("audit_event.event", "=", sql.lit(event)))))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * The least version that an account's row must have by the newest entry that tells of one; 0 where none does, `altered`
 * where the service did not write it so. That there is no newer one is the database's word, as of `findRecoveryEntry`.
 */
export async function findAccountVersion(
  db: Db,
  vault: Vault,
  accountId: string,
): Promise<number | "altered"> {
  const [row] = await selectLatest(db, { accountId });
  if (row === undefined) return 0;
  const entry = provenEntry(vault, row);
  if (
    entry === undefined || entry.account_id !== accountId || !EVENTS.some((event) => event === entry.event)
  ) {
    return "altered";
  }
  return (JSON.parse(entry.detail) as NewVersion).version;
}
