import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditEventName, NewVersion } from "./event.ts";
import { linkedEntries, verifiedEntry } from "./stored-entry.ts";

/** The events that change the version of an account's row, as listed in the index. */
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
    // Written as in the index: SQLite does not recognise that `in` is equivalent.
    .where((entry) => entry.or(EVENTS.map((event) => entry("audit_event.event", "=", sql.lit(event)))))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * Returns the minimum version of an account's row according to its newest entry, 0 without one, or `altered` if the
 * entry is not authentic. Does not prove that the entry is the newest, as with `findRecoveryEntry`.
 */
export async function findAccountVersion(
  db: Db,
  vault: Vault,
  accountId: string,
): Promise<number | "altered"> {
  const [row] = await selectLatest(db, { accountId });
  if (row === undefined) return 0;
  const entry = verifiedEntry(vault, row);
  if (
    entry === undefined || entry.account_id !== accountId || !EVENTS.some((event) => event === entry.event)
  ) {
    return "altered";
  }
  return (JSON.parse(entry.detail) as NewVersion).version;
}
