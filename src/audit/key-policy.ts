import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import { prepared } from "../db/prepared-statement.ts";
import type { Slot } from "../db/prepared-statement.ts";
import { processMemory } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import { linkedEntries, provenEntry } from "./stored-entry.ts";
import type { AuditHead, StoredEntry } from "./stored-entry.ts";

/** Which key: its row may be gone, or be another's. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyIndex: number;
}

/** Keys whose policy is known are remembered up to so many: a few MB. */
const REMEMBERED = 65_536;

const TOLD = Symbol("revisions of keys that the log tells of");

function revisionsIn(db: Db): Map<string, number> {
  return processMemory(db, TOLD, (): Map<string, number> => new Map());
}

function nameOf({ accountId, keyIndex }: KeyPlace): string {
  return `${accountId}/${keyIndex}`;
}

/**
 * Remembers what a proven entry says of a key's policy, for `knownRevision`: an index of the log that leaves the entry
 * out is no use then. For whoever reads the log from end to end.
 */
export function noteKeyPolicy(db: Db, { event, account_id, detail }: StoredEntry): void {
  if (event !== "key_policy_changed" || account_id === null) return;
  const { keyIndex, revision } = JSON.parse(detail) as AuditDetails["key_policy_changed"];
  const revisions = revisionsIn(db);
  const name = nameOf({ accountId: account_id, keyIndex });
  if (revision <= (revisions.get(name) ?? 0)) return;
  // The one that was noted longest ago stands first.
  revisions.delete(name);
  if (revisions.size >= REMEMBERED) revisions.delete(revisions.keys().next().value!);
  revisions.set(name, revision);
}

/** The least revision that a key's row must have by what this process has read of the log; 0 where it knows nothing. */
export function knownRevision(db: Db, place: KeyPlace): number {
  return revisionsIn(db).get(nameOf(place)) ?? 0;
}

/** An entry that tells what a key may sign from then on, and where in the log it stands. */
export interface KeyPolicyEntry {
  readonly head: AuditHead;
  readonly detail: AuditDetails["key_policy_changed"];
}

/**
 * Any one's number: nearly every key has none, and that costs half as much to see as to read one. In no order: SQLite
 * compiles a statement anew, each time that its parameters are bound, when they let an index give the order.
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
    // The literal and the expression, as they stand in the index.
    .where("audit_event.event", "=", sql.lit("key_policy_changed"))
    .where(languageOf(db).jsonNumber("audit_event.detail", "keyIndex"), "=", slot("keyIndex"))
    .orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

/**
 * The newest entry about the policy of an account's key; undefined where there is none, `altered` where the service did
 * not write it so. It is proven by itself and the hash before it. That there is no newer one is the database's word:
 * whoever took that out has broken the log's chain, or cut the log (`verifyAudit`, `watch.ts`).
 */
export async function findKeyPolicyEntry(
  db: Db,
  vault: Vault,
  place: KeyPlace,
): Promise<KeyPolicyEntry | "altered" | undefined> {
  if ((await selectAny(db, place)).length === 0) return undefined;
  const [row] = await selectLatest(db, place);
  if (row === undefined) return undefined;
  const entry = provenEntry(vault, row);
  if (entry === undefined) return "altered";
  return {
    head: { seq: Number(entry.seq), hash: entry.hash },
    detail: JSON.parse(entry.detail) as KeyPolicyEntry["detail"],
  };
}
