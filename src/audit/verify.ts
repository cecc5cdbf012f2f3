import type { AuditEventTable, Db } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac, NO_HASH } from "./entry.ts";

/**
 * What is wrong at an entry. `missing`: its number does not follow the one before. `altered`: its hash does not follow
 * from its content and the entry before. `forged`: the hashes agree but the service did not write it.
 */
export interface AuditFault {
  readonly seq: number;
  readonly kind: "missing" | "altered" | "forged";
}

/** How far the log is sound. */
export interface AuditVerdict {
  /** Sound entries from the first one on. */
  readonly entries: number;
  /** The last sound entry's hash. Whoever keeps it can tell later that the log still begins with it. */
  readonly head: Uint8Array;
  /** The first fault, undefined when every entry is sound. */
  readonly fault: AuditFault | undefined;
}

const PAGE = 1000;

/**
 * Reads the whole log and finds the first entry that was removed, changed, moved or put in. What it cannot see: that the
 * newest entries were cut off, or that the whole file is an older one; that takes a head remembered elsewhere.
 */
export async function verifyAudit(db: Db, vault: Vault): Promise<AuditVerdict> {
  let entries = 0;
  let head = NO_HASH;
  for (;;) {
    const page = await db.selectFrom("audit_event").selectAll().where("seq", ">", entries).orderBy("seq")
      .limit(PAGE).execute();
    for (const row of page) {
      const kind = faultOf(vault, { seq: entries, hash: head }, row);
      if (kind !== undefined) return { entries, head, fault: { seq: entries + 1, kind } };
      entries = row.seq;
      head = row.hash;
    }
    if (page.length < PAGE) return { entries, head, fault: undefined };
  }
}

function faultOf(
  vault: Vault,
  previous: { readonly seq: number; readonly hash: Uint8Array },
  row: AuditEventTable,
): AuditFault["kind"] | undefined {
  if (row.seq !== previous.seq + 1) return "missing";
  if (!constantTimeEqual(entryHash(previous.hash, row), row.hash)) return "altered";
  if (!constantTimeEqual(entryMac(vault, row.seq, row.hash), row.mac)) return "forged";
  return undefined;
}
