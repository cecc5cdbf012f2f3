import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { type AuditHead, linkedEntries, verifiedEntry } from "./stored-entry.ts";

/** An account's key by its index. Its row may be missing or another account's. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyIndex: number;
}

export interface KeyPolicyEntry {
  readonly head: AuditHead;
  readonly detail: AuditDetails["key_policy_changed"];
}

/**
 * Selects any entry's number. Most keys have none, and this check costs half as much as reading an entry. Without an
 * order: SQLite compiles a statement again at each binding if its parameters let an index provide the order.
 */
const selectAny = prepared((db, slot: Slot<KeyPlace>) =>
  db.selectFrom("audit_event").select("seq")
    .where("account_id", "=", slot("accountId"))
    .where("event", "=", sql.lit("key_policy_changed"))
    .where(languageOf(db).jsonNumber("detail", "keyIndex"), "=", slot("keyIndex")).limit(sql.lit(1))
);

const selectLatest = prepared((db, slot: Slot<KeyPlace>) =>
  linkedEntries(db)
    .where("audit_event.account_id", "=", slot("accountId"))
    // The literal and the expression are written as in the index.
    .where("audit_event.event", "=", sql.lit("key_policy_changed"))
    .where(languageOf(db).jsonNumber("audit_event.detail", "keyIndex"), "=", slot("keyIndex"))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * Returns the newest policy entry of a key, undefined without one, or `altered` if it is not authentic. Verifies the
 * entry with the hash before it. Does not prove that it is the newest: removing a newer entry breaks the chain or cuts
 * the log, which `verifyAudit` and `catchUp` detect.
 */
export async function findKeyPolicyEntry(
  db: Db,
  vault: Vault,
  place: KeyPlace,
): Promise<KeyPolicyEntry | "altered" | undefined> {
  if ((await selectAny(db, place)).length === 0) return undefined;
  const [row] = await selectLatest(db, place);
  if (row === undefined) return undefined;
  const entry = verifiedEntry(vault, row);
  if (entry === undefined) return "altered";
  const detail = JSON.parse(entry.detail) as KeyPolicyEntry["detail"];
  // A manipulated table can return an authentic entry of another key.
  const isOfKey = entry.account_id === place.accountId && entry.event === "key_policy_changed" &&
    detail.keyIndex === place.keyIndex;
  return isOfKey ? { head: { seq: Number(entry.seq), hash: entry.hash }, detail } : "altered";
}
