import type { Db } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { NO_HASH } from "./entry.ts";
import { type AuditHead, entryFault, STORED_ENTRY } from "./stored-entry.ts";

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
  /** The first fault, undefined when every entry is sound; one at a number below 1 comes last. */
  readonly fault: AuditFault | undefined;
}

const PAGE = 1000;

/**
 * Reads the whole log and finds the first entry that was removed, changed, moved or put in. What it cannot see: that the
 * newest entries were cut off, or that the whole file is an older one; that takes a head remembered elsewhere, and
 * `compareHead`.
 */
export async function verifyAudit(db: Db, vault: Vault): Promise<AuditVerdict> {
  let entries = 0;
  let head = NO_HASH;
  for (;;) {
    const page = await db.selectFrom("audit_event").select(STORED_ENTRY).where(
      "audit_event.seq",
      ">",
      entries,
    )
      .orderBy("audit_event.seq").limit(PAGE).execute();
    for (const row of page) {
      const kind = row.seq === String(entries + 1) ? entryFault(vault, head, row) : "missing";
      if (kind !== undefined) return { entries, head, fault: { seq: entries + 1, kind } };
      entries++;
      head = row.hash;
    }
    if (page.length < PAGE) return { entries, head, fault: await findBelowFirst(db) };
  }
}

/** The service numbers entries from 1: one below that somebody put in. */
async function findBelowFirst(db: Db): Promise<AuditFault | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", "<", 1)
    .orderBy("audit_event.seq", "desc").limit(1).executeTakeFirst();
  return row === undefined ? undefined : { seq: Number(row.seq), kind: "forged" };
}

/**
 * Whether a log begins with the entries up to a head that was kept elsewhere. `cut`: it ends before it, so entries were
 * cut off or the whole log is an older one. `replaced`: it has another entry there. `unknown`: it is not sound so far.
 */
export type HeadComparison = "kept" | "cut" | "replaced" | "unknown";

/** Compares the log that `verifyAudit` has just read with a head that was kept elsewhere. */
export async function compareHead(
  db: Db,
  { entries, fault }: AuditVerdict,
  kept: AuditHead,
): Promise<HeadComparison> {
  if (kept.seq > entries) return fault === undefined ? "cut" : "unknown";
  const row = kept.seq === 0
    ? { hash: NO_HASH }
    : await db.selectFrom("audit_event").select("hash").where("seq", "=", kept.seq).executeTakeFirst();
  return row !== undefined && constantTimeEqual(row.hash, kept.hash) ? "kept" : "replaced";
}
