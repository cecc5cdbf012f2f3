import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { NO_HASH } from "./entry.ts";
import { type AuditHead, entryFault, STORED_ENTRY, type StoredEntry } from "./stored-entry.ts";

/**
 * What is wrong at an entry. `missing`: its number does not follow the one before. `altered`: its hash does not follow
 * from its content and the entry before. `forged`: the hashes agree but the service did not write it.
 */
export interface AuditFault {
  readonly seq: number;
  readonly kind: "missing" | "altered" | "forged";
}

/**
 * Whether a log begins with the entries up to a head that was kept elsewhere. `cut`: it ends before it, so entries were
 * cut off or the whole log is an older one. `replaced`: it has another entry there. `unknown`: it is not sound so far.
 */
export type HeadComparison = "kept" | "cut" | "replaced" | "unknown";

/** How far the log is sound. */
export interface AuditVerdict {
  /** Sound entries from the first one on. */
  readonly entries: number;
  /** The last sound entry's hash. Whoever keeps it can tell later that the log still begins with it. */
  readonly head: Uint8Array;
  /** The first fault, undefined when every entry is sound; one at a number below 1 comes last. */
  readonly fault: AuditFault | undefined;
  /** What came of the head that was kept elsewhere, undefined when none was given. */
  readonly comparison: HeadComparison | undefined;
}

/** How the log is read. */
export interface AuditReading {
  /** A head that was kept elsewhere. */
  readonly kept?: AuditHead | undefined;
  /** Hears how many entries were sound so far, and is waited for. */
  readonly onPage?: ((entries: number) => Promise<void> | void) | undefined;
}

const PAGE = 1000;
const START: AuditHead = { seq: 0, hash: NO_HASH };

/**
 * Reads the whole log and finds the first entry that was removed, changed, moved or put in. What it cannot see: that the
 * newest entries were cut off, or that the whole file is an older one; that takes a head remembered elsewhere. Such a
 * head is compared with the very entry that was read and proven on the way: a second query for it may be answered by
 * another tree of the file than the first one.
 */
export async function verifyAudit(
  db: Db,
  vault: Vault,
  { kept, onPage }: AuditReading = {},
): Promise<AuditVerdict> {
  let last = START;
  let found = kept?.seq === 0 ? START : undefined;
  const end = (fault: AuditFault | undefined): AuditVerdict => ({
    entries: last.seq,
    head: last.hash,
    fault,
    comparison: kept && compareHead({ kept, found, fault }),
  });
  for (;;) {
    const page = await readPage(db, last.seq);
    for (const row of page) {
      const seq = last.seq + 1;
      const kind = row.seq === String(seq) ? entryFault(vault, last.hash, row) : "missing";
      if (kind !== undefined) return end({ seq, kind });
      last = { seq, hash: row.hash };
      if (seq === kept?.seq) found = last;
    }
    await onPage?.(last.seq);
    if (page.length < PAGE) return end(await findBelowFirst(db));
  }
}

/** From the table itself: an index with all these columns would be read in its place, and can say something else. */
async function readPage(db: Db, after: number): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<
    StoredEntry
  >`select cast(seq as text) as seq, cast(at as text) as at, event, account_id,
    subject, detail, hash, mac from audit_event not indexed where seq > ${after} order by audit_event.seq
    limit ${PAGE}`.execute(db);
  return rows;
}

/** The service numbers entries from 1: one below that somebody put in. */
async function findBelowFirst(db: Db): Promise<AuditFault | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", "<", 1)
    .orderBy("audit_event.seq", "desc").limit(1).executeTakeFirst();
  return row === undefined ? undefined : { seq: Number(row.seq), kind: "forged" };
}

function compareHead(
  { kept, found, fault }: {
    readonly kept: AuditHead;
    /** The entry of that number, if the log is sound so far. */
    readonly found: AuditHead | undefined;
    readonly fault: AuditFault | undefined;
  },
): HeadComparison {
  if (found === undefined) return fault === undefined ? "cut" : "unknown";
  return constantTimeEqual(found.hash, kept.hash) ? "kept" : "replaced";
}
