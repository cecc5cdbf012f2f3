import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import { type AuditHead, entryFault, type StoredEntry } from "./stored-entry.ts";

/**
 * The fault of an entry. `missing`: its number does not follow the previous one. `altered`: its hash does not follow
 * from its content and the previous entry. `forged`: the hashes match but the service did not write it.
 */
export interface AuditFault {
  readonly seq: number;
  readonly kind: "missing" | "altered" | "forged";
}

export interface ChainReading {
  /** The entry before the part. It must be verified. */
  readonly after: AuditHead;
  readonly limit: number;
  /** The entries as `readRows` returned them, if they were read already. */
  readonly rows?: readonly StoredEntry[] | undefined;
  /** Called for each sound entry. */
  readonly onEntry?: ((head: AuditHead, entry: StoredEntry) => void) | undefined;
}

export interface ChainPart {
  /** The last sound entry. */
  readonly head: AuditHead;
  /** The number of entries read; less than the limit at the end of the log. */
  readonly read: number;
  /** The fault of the entry after the last sound one. */
  readonly fault: AuditFault | undefined;
}

/** Reads entries after a given one. Verifies each by its content, its MAC and the previous entry. */
export async function readOn(
  db: Db,
  vault: Vault,
  { after, limit, rows: known, onEntry }: ChainReading,
): Promise<ChainPart> {
  const rows = known ?? await readRows(db, after.seq, limit);
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

/** Returns entries after a number, unverified. Reads from the table itself, because an index may differ. */
export async function readRows(db: Db, after: number, limit: number): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<
    StoredEntry
  >`select cast(seq as text) as seq, cast(at as text) as at, event, account_id,
    subject, detail, state, hash, mac from ${languageOf(db).tableItself("audit_event")} where seq > ${after}
    order by audit_event.seq limit ${limit}`.execute(db);
  return rows;
}
