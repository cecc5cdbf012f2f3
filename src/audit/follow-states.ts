import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import { yieldToEventLoop } from "../lib/cooperative.ts";
import { createStateTags, type StateTags, stateTagsOf } from "../store/state/state-tags.ts";
import { forgetStates } from "../store/state/owner-state.ts";
import { forgetSets, forgetSetsOf } from "../store/state/row-sets.ts";
import { SERVICE } from "../store/state/kinds.ts";
import type { Vault } from "../vault/vault.ts";
import { readOn, readRows } from "./chain.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { hashAt } from "./entry-hash.ts";
import { findAcceptedBreak, isLogStatusEvent } from "./log-status.ts";
import { see, stop, watchOf } from "./log-head.ts";
import { type AuditHead, BEGINNING, type StoredEntry } from "./stored-entry.ts";

const PAGE = 1000;

/** Puts the state that a verified entry names in the table. */
export function noteState(
  table: StateTags,
  { account_id, state }: Pick<StoredEntry, "account_id" | "state">,
): void {
  if (state === null) return;
  const owner = account_id ?? SERVICE;
  if (state.length === 0) table.delete(owner);
  else table.set(owner, state);
}

/** Records that the states up to an entry are in the table. Returns false if they were there already. */
export function advance(db: Db, head: AuditHead): boolean {
  const watch = watchOf(db);
  if (watch.followed !== undefined && head.seq <= watch.followed.seq) return false;
  watch.followed = head;
  stateTagsOf(db).seq = head.seq;
  return true;
}

/** Entries after the last one followed, as stored. */
export interface EntriesAhead {
  readonly after: AuditHead;
  readonly rows: readonly StoredEntry[];
}

/**
 * Reads the first entries that `followStates` verifies, so that the statement is sent together with others. Returns
 * undefined before the first one is followed.
 */
export async function readAhead(db: Db): Promise<EntriesAhead | undefined> {
  const { followed: after } = watchOf(db);
  return after && { after, rows: await readRows(db, after.seq, PAGE) };
}

/**
 * Verifies the entries after the last one followed, and puts their states in the table. Stops recording at a fault of
 * the chain. While recording is stopped for another reason, reading goes on. `ahead` has the first entries, if they
 * were read already.
 */
export async function followStates(db: Db, vault: Vault, ahead?: EntriesAhead): Promise<void> {
  const watch = watchOf(db);
  if (watch.followed === undefined) await loadCheckpoint(db, vault);
  for (;;) {
    const after = watch.followed!;
    const { read, fault } = await readOn(db, vault, {
      after,
      // Another reader may have followed the log meanwhile.
      rows: ahead?.after === after ? ahead.rows : undefined,
      limit: PAGE,
      onEntry: (head, entry) => {
        if (!advance(db, head)) return;
        // Those are applied by `catchUp`, which looks for them behind the known head.
        if (watch.known?.seq === head.seq - 1 && !isLogStatusEvent(entry)) see(watch, head);
        noteState(stateTagsOf(db).table, entry);
        // Another process deleted the state.
        if (entry.state?.length === 0) forgetSetsOf(db, entry.account_id ?? SERVICE);
      },
    });
    if (fault !== undefined) {
      const end = await findEndOfBreak(db, vault, fault.seq);
      if (end === undefined) return stop(watch, fault.kind, fault.seq);
      advance(db, end);
    } else if (read < PAGE) return;
    if (!db.isTransaction) await yieldToEventLoop();
  }
}

/** Returns the acknowledgement of the broken part that starts at an entry, if an operator accepted it. */
async function findEndOfBreak(db: Db, vault: Vault, from: number): Promise<AuditHead | undefined> {
  const { acceptedBreak, trustedFrom } = watchOf(db);
  // Other code compares the newest one with what was accepted.
  return acceptedBreak?.from === from ? trustedFrom : (await findAcceptedBreak(db, vault, from))?.head;
}

/** Begins with the state tags of the last checkpoint, if the log still has its entry. */
async function loadCheckpoint(db: Db, vault: Vault): Promise<void> {
  // A reader follows the log before it relies on the table.
  stateTagsOf(db).seq = -1;
  const { seq, hash, stateTags } = await readCheckpoint(db, vault);
  const stored = await hashAt(db, seq);
  const isKept = stored !== undefined && constantTimeEqual(stored, hash);
  if (!isKept) stop(watchOf(db), stored === undefined ? "cut" : "replaced", seq);
  if (watchOf(db).followed !== undefined) return;
  stateTagsOf(db).table = createStateTags(isKept ? stateTags : undefined);
  forgetSets(db);
  forgetStates(db);
  watchOf(db).followed = isKept && seq > 0 ? { seq, hash } : BEGINNING;
  stateTagsOf(db).seq = watchOf(db).followed!.seq;
}
