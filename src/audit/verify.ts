import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { brokenPart, listTurns } from "./log-status.ts";
import { isAsLetPass } from "./accepted-break.ts";
import type { BrokenPart } from "./accepted-break.ts";
import { readOn } from "./chain.ts";
import type { AuditFault } from "./chain.ts";
import { BEGINNING, STORED_ENTRY } from "./stored-entry.ts";
import type { AuditHead, StoredEntry } from "./stored-entry.ts";

/**
 * Whether a log begins with the entries up to a head that was kept elsewhere. `cut`: it ends before it, so entries were
 * cut off or the whole log is an older one. `replaced`: it has another entry there. `unknown`: it is not sound so far.
 */
export type HeadComparison = "kept" | "cut" | "replaced" | "unknown";

/** How far the log is sound. */
export interface AuditVerdict {
  /** Entries from the first one on that are sound or were let pass. */
  readonly entries: number;
  /** The last sound entry's hash. Whoever keeps it can tell later that the log still begins with it. */
  readonly head: Uint8Array;
  /** The first fault that no person let pass; one at a number below 1 comes last. */
  readonly fault: AuditFault | undefined;
  /** Parts that are not sound, each exactly as a person let it pass: what follows one is proven from there on. */
  readonly letPass: readonly BrokenPart[];
  /** What came of the head that was kept elsewhere, undefined when none was given. */
  readonly comparison: HeadComparison | undefined;
}

/** How the log is read. */
export interface AuditReading {
  /** A head that was kept elsewhere. */
  readonly kept?: AuditHead | undefined;
  /** Hears of each sound entry, in the order of the log; of none in a part that was let pass. */
  readonly onEntry?: ((head: AuditHead, entry: StoredEntry) => void) | undefined;
  /** Hears how many entries were sound so far, and is waited for. */
  readonly onPage?: ((entries: number) => Promise<void> | void) | undefined;
}

const PAGE = 1000;

/**
 * Reads the whole log and finds the first entry that was removed, changed, moved or put in. What it cannot see: that the
 * newest entries were cut off, or that the whole file is an older one; that takes a head remembered elsewhere. Such a
 * head is compared with the very entry that was read and proven on the way: a second query for it may be answered by
 * another tree of the file than the first one.
 */
export async function verifyAudit(
  db: Db,
  vault: Vault,
  { kept, onEntry, onPage }: AuditReading = {},
): Promise<AuditVerdict> {
  let last = BEGINNING;
  let found = kept?.seq === 0 ? BEGINNING : undefined;
  const letPass: BrokenPart[] = [];
  const isLetPass = (seq: number): boolean => letPass.some(({ from, to }) => from <= seq && seq < to);
  const end = (fault: AuditFault | undefined): AuditVerdict => ({
    entries: last.seq,
    head: last.hash,
    fault,
    letPass,
    comparison: kept && compareHead({ kept, found, isReadable: fault === undefined && !isLetPass(kept.seq) }),
  });
  for (;;) {
    const { head, read, fault } = await readOn(db, vault, {
      after: last,
      limit: PAGE,
      onEntry: (head, entry) => {
        if (head.seq === kept?.seq) found = head;
        onEntry?.(head, entry);
      },
    });
    last = head;
    await onPage?.(last.seq);
    if (fault === undefined && read === PAGE) continue;
    const wrong = fault ?? await findBelowFirst(db);
    if (wrong === undefined || isLetPass(wrong.seq)) return end(undefined);
    const passed = await findLetPass(db, vault, wrong.seq);
    if (passed === undefined) return end(wrong);
    letPass.push(passed.part);
    last = passed.head;
  }
}

/** What a person let pass from an entry on, if it is still as it was then, and the entry that says so. */
async function findLetPass(
  db: Db,
  vault: Vault,
  from: number,
): Promise<{ readonly part: BrokenPart; readonly head: AuditHead } | undefined> {
  for (const turn of await listTurns(db, vault, from)) {
    const part = turn.event === "rollback_acknowledged" ? brokenPart(turn) : undefined;
    if (part?.from === from && await isAsLetPass(db, part)) return { part, head: turn };
  }
  return undefined;
}

/** The service numbers entries from 1: the lowest one below that somebody put in. */
async function findBelowFirst(db: Db): Promise<AuditFault | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", "<", 1)
    .orderBy("audit_event.seq").limit(1).executeTakeFirst();
  return row === undefined ? undefined : { seq: Number(row.seq), kind: "forged" };
}

function compareHead(
  { kept, found, isReadable }: {
    readonly kept: AuditHead;
    /** The entry of that number, if it was read and is sound. */
    readonly found: AuditHead | undefined;
    /** Whether it would have been read if it were there. */
    readonly isReadable: boolean;
  },
): HeadComparison {
  if (found === undefined) return isReadable ? "cut" : "unknown";
  return constantTimeEqual(found.hash, kept.hash) ? "kept" : "replaced";
}
