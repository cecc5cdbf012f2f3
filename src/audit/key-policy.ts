import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import { engineState } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { type AuditHead, linkedEntries, type StoredEntry, verifiedEntry } from "./stored-entry.ts";

/** An account's key by its index. Its row may be missing or another account's. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyIndex: number;
}

/** The maximum number of keys in the cache: a few MB. */
const REMEMBERED = 65_536;

const REVISIONS = Symbol("revisions of keys in the log");

function revisionsIn(db: Db): Map<string, number> {
  return engineState(db, REVISIONS, (): Map<string, number> => new Map());
}

function nameOf({ accountId, keyIndex }: KeyPlace): string {
  return `${accountId}/${keyIndex}`;
}

/** Caches a revision, so that hiding its entry from an index has no effect. Call it while reading the whole log. */
export function noteKeyPolicy(db: Db, { event, account_id, detail }: StoredEntry): void {
  if (event !== "key_policy_changed" || account_id === null) return;
  const { keyIndex, revision } = JSON.parse(detail) as AuditDetails["key_policy_changed"];
  const revisions = revisionsIn(db);
  const name = nameOf({ accountId: account_id, keyIndex });
  if (revision <= (revisions.get(name) ?? 0)) return;
  // Moves the key to the end, so that the first one is the least recently updated.
  revisions.delete(name);
  if (revisions.size >= REMEMBERED) revisions.delete(revisions.keys().next().value!);
  revisions.set(name, revision);
}

/** Returns the minimum revision of a key's row according to the log read so far; 0 if unknown. */
export function knownRevision(db: Db, place: KeyPlace): number {
  return revisionsIn(db).get(nameOf(place)) ?? 0;
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
  return {
    head: { seq: Number(entry.seq), hash: entry.hash },
    detail: JSON.parse(entry.detail) as KeyPolicyEntry["detail"],
  };
}
