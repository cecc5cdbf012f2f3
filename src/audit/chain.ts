import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import { entryFault } from "./stored-entry.ts";
import type { AuditHead, StoredEntry } from "./stored-entry.ts";

/**
 * What is wrong at an entry. `missing`: its number does not follow the one before. `altered`: its hash does not follow
 * from its content and the entry before. `forged`: the hashes agree but the service did not write it.
 */
export interface AuditFault {
  readonly seq: number;
  readonly kind: "missing" | "altered" | "forged";
}

/** How a part of the log is read. */
export interface ChainReading {
  /** The entry before it, which must have been proven. */
  readonly after: AuditHead;
  /** Entries at most. */
  readonly limit: number;
  /** Hears of each sound entry. */
  readonly onEntry?: ((head: AuditHead, entry: StoredEntry) => void) | undefined;
}

/** A part of the log that was read. */
export interface ChainPart {
  /** The last sound entry. */
  readonly head: AuditHead;
  /** How many were read; fewer than the limit where the log ends. */
  readonly read: number;
  /** What is wrong with the entry after the last sound one. */
  readonly fault: AuditFault | undefined;
}

/** Reads on from an entry and proves each by its content, its service's MAC and the one before it. */
export async function readOn(
  db: Db,
  vault: Vault,
  { after, limit, onEntry }: ChainReading,
): Promise<ChainPart> {
  const rows = await readRows(db, after.seq, limit);
  let head = after;
  for (const row of rows) {
    const seq = head.seq + 1;
    const kind = row.seq === String(seq) ? entryFault(vault, head.hash, row) : "missing";
    if (kind !== undefined) return { head, read: rows.length, fault: { seq, kind } };
    head = { seq, hash: row.hash };
    onEntry?.(head, row);
  }
  return { head, read: rows.length, fault: undefined };
}

/** From the table itself, whatever an index says. */
async function readRows(db: Db, after: number, limit: number): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<
    StoredEntry
  >`select cast(seq as text) as seq, cast(at as text) as at, event, account_id,
    subject, detail, hash, mac from ${languageOf(db).tableItself("audit_event")} where seq > ${after}
    order by audit_event.seq limit ${limit}`.execute(db);
  return rows;
}
