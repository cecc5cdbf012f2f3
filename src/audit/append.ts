import { atCommit, getTransactionState, setTransactionState } from "../db/transaction.ts";
import { prepared, preparedChange, type Slot } from "../db/prepared-statement.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac } from "./entry.ts";
import type { AuditEvent } from "./event.ts";
import { type AuditHead, STORED_ENTRY, type StoredEntry } from "./stored-entry.ts";
import { type LogWatch, refuseWhileStopped, see, stop, watchOf } from "./log-head.ts";

/** The entries that a transaction has appended, and the entry before them. */
interface Tail {
  readonly base: AuditHead;
  /** Shared by the tails of a transaction. Those from `count` on were rolled back. */
  readonly entries: Tables["audit_event"][];
  readonly count: number;
}

const TAIL = Symbol("audit tail");

export function hasAppended(tx: Db): boolean {
  return getTransactionState<Tail>(tx, TAIL) !== undefined;
}

export interface Recorded {
  readonly at: Instant;
  readonly event: AuditEvent;
}

const insertEntry = preparedChange((db, slot: Slot<Tables["audit_event"]>) =>
  db.insertInto("audit_event").values({
    seq: slot("seq"),
    at: slot("at"),
    event: slot("event"),
    account_id: slot("account_id"),
    subject: slot("subject"),
    detail: slot("detail"),
    hash: slot("hash"),
    mac: slot("mac"),
  })
    // If another process appended first, its entry stays and this insertion does nothing.
    .onConflict((conflict) => conflict.column("seq").doNothing())
);

/**
 * Appends an entry after the transaction's earlier ones, or after `base`. Returns undefined if the database already
 * has an entry with that number. Before the commit, all appended entries are read back. If one is missing or differs,
 * the transaction is rolled back and recording stops.
 */
export async function append(
  tx: Db,
  vault: Vault,
  { base, ...recorded }: Recorded & { readonly base: AuditHead },
): Promise<AuditHead | undefined> {
  const tail = getTransactionState<Tail>(tx, TAIL) ?? { base, entries: [], count: 0 };
  const entry = entryAfter(vault, lastOf(tail) ?? tail.base, recorded);
  if (await insertEntry(tx, entry) !== 1) return undefined;
  tail.entries.splice(tail.count, Infinity, entry);
  setTransactionState(tx, TAIL, { ...tail, count: tail.count + 1 });
  if (tail.count === 0) proveAtCommit(tx);
  return entry;
}

function entryAfter(vault: Vault, last: AuditHead, { at, event }: Recorded): Tables["audit_event"] {
  const withoutMac = {
    seq: last.seq + 1,
    at,
    event: event.event,
    account_id: event.accountId,
    subject: event.subject,
    detail: canonicalJson(event.detail),
  };
  const hash = entryHash(last.hash, withoutMac);
  return { ...withoutMac, hash, mac: entryMac(vault, withoutMac.seq, hash) };
}

/**
 * Appends entries after `base` and reads them back, with all statements sent together. Returns the last entry. Throws
 * like the commit of `append`. Use it only if neither this transaction nor another appends anything else meanwhile.
 */
export async function appendAll(
  tx: Db,
  vault: Vault,
  { base, all }: { readonly base: AuditHead; readonly all: readonly Recorded[] },
): Promise<AuditHead> {
  const entries: Tables["audit_event"][] = [];
  for (const recorded of all) entries.push(entryAfter(vault, entries.at(-1) ?? base, recorded));
  const inserted = entries.map((entry) => insertEntry(tx, entry));
  // An entry that was not inserted is missing here too.
  const proven = proveStored(tx, watchOf(tx), { base, entries, count: entries.length });
  await Promise.all([...inserted, proven]);
  return entries.at(-1)!;
}

function lastOf({ entries, count }: Tail): AuditHead | undefined {
  return entries[count - 1];
}

/** Serializes with sorted members. The details are flat. */
function canonicalJson(detail: AuditEvent["detail"]): string {
  return JSON.stringify(detail, Object.keys(detail).sort());
}

function proveAtCommit(tx: Db): void {
  const watch = watchOf(tx);
  const tail = (): Tail => getTransactionState<Tail>(tx, TAIL)!;
  let last: AuditHead | undefined;
  atCommit(tx, TAIL, {
    before: async () => {
      last = lastOf(tail());
      await proveStored(tx, watch, tail());
    },
    after: () => see(watch, last!),
  });
}

const selectFrom = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", ">=", slot("seq"))
    .orderBy("audit_event.seq")
);

/** Throws `log_cut` unless the log ends with the appended entries, directly after their base. */
async function proveStored(tx: Db, watch: LogWatch, { base, entries, count }: Tail): Promise<void> {
  const stored = await selectFrom(tx, { seq: base.seq });
  const standing = base.seq === 0 ? base : stored.shift();
  if (standing === undefined || Number(standing.seq) !== base.seq) stop(watch, "cut", base.seq);
  else if (!constantTimeEqual(standing.hash, base.hash)) stop(watch, "replaced", base.seq);
  else {
    const lost = entries.slice(0, count).find((entry, index) => !isStored(entry, stored[index]));
    if (lost !== undefined) stop(watch, "not_stored", lost.seq);
    else if (stored.length > count) stop(watch, "forged", Number(stored.at(-1)!.seq));
    else return;
  }
  refuseWhileStopped(watch);
}

function isStored(
  { seq, at, hash, mac, ...rest }: Tables["audit_event"],
  stored: StoredEntry | undefined,
): boolean {
  return stored !== undefined && stored.seq === String(seq) && stored.at === String(at) &&
    stored.event === rest.event && stored.account_id === rest.account_id &&
    stored.subject === rest.subject && stored.detail === rest.detail &&
    constantTimeEqual(stored.hash, hash) && constantTimeEqual(stored.mac, mac);
}
