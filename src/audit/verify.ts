import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { findAcceptedBreak } from "./log-status.ts";
import type { BrokenPart } from "./accepted-break.ts";
import { type AuditFault, readOn } from "./chain.ts";
import { type AuditHead, BEGINNING, STORED_ENTRY, type StoredEntry } from "./stored-entry.ts";

/**
 * The comparison of a log with a head that was stored elsewhere. `kept`: the log begins with the entries up to it.
 * `cut`: it ends before, so entries were cut off or the whole log is an older one. `replaced`: it has another entry
 * there. `unknown`: it is broken before.
 */
export type HeadComparison = "kept" | "cut" | "replaced" | "unknown";

export interface AuditVerdict {
  /** The number of entries from the first that are sound or accepted. */
  readonly entries: number;
  /** The last sound entry's hash. Store it elsewhere to compare the log with it later. */
  readonly head: Uint8Array;
  /** The first fault that was not accepted. One at a number below 1 comes last. */
  readonly fault: AuditFault | undefined;
  /** Broken parts that are unchanged since an operator accepted them. Verification continues after each. */
  readonly acceptedBreaks: readonly BrokenPart[];
  /** Undefined if no head was given. */
  readonly comparison: HeadComparison | undefined;
}

export interface AuditReading {
  /** A head that was stored elsewhere. */
  readonly expectedHead?: AuditHead | undefined;
  /** Called for each sound entry in order, but not within an accepted part. */
  readonly onEntry?: ((head: AuditHead, entry: StoredEntry) => void) | undefined;
  /** Called, and awaited, with the number of sound entries so far. */
  readonly onPage?: ((entries: number) => Promise<void> | void) | undefined;
}

const PAGE = 1000;

/**
 * Reads the whole log and finds the first entry that was removed, changed, moved or inserted. Without a head stored
 * elsewhere, it cannot detect that the newest entries were cut off, or that the whole log is an older one. The head is
 * compared with the entry that was verified on the way, because a second query may be answered from another tree of
 * the file.
 */
export async function verifyAudit(
  db: Db,
  vault: Vault,
  { expectedHead, onEntry, onPage }: AuditReading = {},
): Promise<AuditVerdict> {
  let last = BEGINNING;
  let found = expectedHead?.seq === 0 ? BEGINNING : undefined;
  const acceptedBreaks: BrokenPart[] = [];
  const isAccepted = (seq: number): boolean => acceptedBreaks.some(({ from, to }) => from <= seq && seq < to);
  const end = (fault: AuditFault | undefined): AuditVerdict => ({
    entries: last.seq,
    head: last.hash,
    fault,
    acceptedBreaks,
    comparison: expectedHead &&
      compareHead({ expectedHead, found, isReadable: fault === undefined && !isAccepted(expectedHead.seq) }),
  });
  for (;;) {
    const { head, read, fault } = await readOn(db, vault, {
      after: last,
      limit: PAGE,
      onEntry: (head, entry) => {
        if (head.seq === expectedHead?.seq) found = head;
        onEntry?.(head, entry);
      },
    });
    last = head;
    await onPage?.(last.seq);
    if (fault === undefined && read === PAGE) continue;
    const wrong = fault ?? await findBelowFirst(db);
    if (wrong === undefined || isAccepted(wrong.seq)) return end(undefined);
    const accepted = await findAcceptedBreak(db, vault, wrong.seq);
    if (accepted === undefined) return end(wrong);
    acceptedBreaks.push(accepted.part);
    last = accepted.head;
  }
}

/** Finds the lowest entry below 1, which an attacker inserted: the service numbers entries from 1. */
async function findBelowFirst(db: Db): Promise<AuditFault | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", "<", 1)
    .orderBy("audit_event.seq").limit(1).executeTakeFirst();
  return row === undefined ? undefined : { seq: Number(row.seq), kind: "forged" };
}

function compareHead(
  { expectedHead, found, isReadable }: {
    readonly expectedHead: AuditHead;
    /** The verified entry of that number, if any. */
    readonly found: AuditHead | undefined;
    /** True if the entry would have been read if it existed. */
    readonly isReadable: boolean;
  },
): HeadComparison {
  if (found === undefined) return isReadable ? "cut" : "unknown";
  return constantTimeEqual(found.hash, expectedHead.hash) ? "kept" : "replaced";
}
