import { sql } from "kysely";
import { attemptOf } from "../db/attempt.ts";
import type { ColumnKind } from "../db/dialect.ts";
import { languageOf, requiringOneRow } from "../db/port.ts";
import { prepared, preparedChange, type Slot } from "../db/prepared-statement.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { together } from "../db/transaction.ts";
import { constantTimeEqual, utf8 } from "../lib/bytes.ts";
import { sameValue } from "../lib/object.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac } from "./entry.ts";
import type { AuditEvent } from "./event.ts";
import { type AuditHead, STORED_ENTRY, type StoredEntry } from "./stored-entry.ts";
import { type LogWatch, refuseWhileStopped, stop, watchOf } from "./log-head.ts";

/** Entries to append, and the entry before them. */
interface Tail {
  readonly base: AuditHead;
  readonly entries: readonly Tables["audit_event"][];
}

export interface Recorded {
  readonly at: Instant;
  readonly event: AuditEvent;
  /** The new tag of the owner's state; empty if it was deleted, undefined if it did not change. */
  readonly state?: Uint8Array;
}

const insertEntry = preparedChange((db, slot: Slot<Tables["audit_event"]>) =>
  db.insertInto("audit_event").values({
    seq: slot("seq"),
    at: slot("at"),
    event: slot("event"),
    account_id: slot("account_id"),
    subject: slot("subject"),
    detail: slot("detail"),
    state: slot("state"),
    hash: slot("hash"),
    mac: slot("mac"),
  })
    // If another process appended first, its entry stays and this insertion does nothing.
    .onConflict((conflict) => conflict.column("seq").doNothing())
);

function entryAfter(vault: Vault, last: AuditHead, { at, event, state }: Recorded): Tables["audit_event"] {
  const withoutMac = {
    seq: last.seq + 1,
    at,
    event: event.event,
    account_id: event.accountId,
    subject: event.subject,
    detail: canonicalJson(event.detail),
    state: state ?? null,
  };
  const hash = entryHash(last.hash, withoutMac);
  return { ...withoutMac, hash, mac: entryMac(vault, withoutMac.seq, hash) };
}

/** Entries to append after `base`. */
export interface Appending {
  readonly base: AuditHead;
  readonly all: readonly Recorded[];
}

/** The last of the appended entries, and the check that they are stored, which rejects with `log_cut`. */
export interface Appended {
  readonly last: AuditHead;
  /** Undefined if they were checked already. */
  readonly verified: Promise<unknown> | undefined;
}

/**
 * Appends entries after `base` and reads them back, with all statements sent together. If one is missing or differs,
 * stops recording, and `verified` rejects with `log_cut`. Where the commit is sent before the answer, the server checks
 * the same and rolls back. Use it only if nothing else appends meanwhile.
 */
export async function sendAll(tx: Db, vault: Vault, { base, all }: Appending): Promise<Appended> {
  const entries = entriesAfter(vault, base, all);
  const isAttempt = attemptOf(tx) !== undefined;
  // In an attempt another process may have appended the same entry at the same moment.
  const handle = isAttempt ? requiringOneRow(tx) : tx;
  const inserted = entries.map((entry) => insertEntry(handle, entry));
  const stored = selectFrom(tx, { seq: base.seq });
  const checked = canCheckItself(tx)
    ? requireStored(tx, { seq: base.seq, digest: digestOf({ base, entries }) })
    : undefined;
  // In an attempt another process may have appended, and the server refuses the entries. That is no fault of the log.
  const first = isAttempt ? checked : undefined;
  // An entry that was not inserted is missing here too.
  const proved = Promise.all([stored, first]).then(([rows]) =>
    proveStored(watchOf(tx), { base, entries }, rows)
  );
  const verified = together(proved, checked, ...inserted);
  if (canCheckItself(tx)) return { last: entries.at(-1)!, verified };
  await verified;
  return { last: entries.at(-1)!, verified: undefined };
}

/** Like `sendAll`, and returns the last entry once they are verified. */
export async function appendAll(tx: Db, vault: Vault, appending: Appending): Promise<AuditHead> {
  const { last, verified } = await sendAll(tx, vault, appending);
  await verified;
  return last;
}

/** Returns true if the commit may be sent behind the entries: the database itself rolls back unless they are stored. */
export function canCheckItself(tx: Db): boolean {
  return languageOf(tx).requireDigest !== undefined;
}

type Column = keyof Tables["audit_event"];

/** The columns that the server compares. */
const COLUMNS: readonly (readonly [column: Column, kind: ColumnKind])[] = [
  ["seq", "integer"],
  ["at", "integer"],
  ["event", "text"],
  ["account_id", "text"],
  ["subject", "text"],
  ["detail", "text"],
  ["state", "blob"],
  ["hash", "blob"],
  ["mac", "blob"],
];

/** The columns of the entry before them. */
const OF_BASE = COLUMNS.filter(([column]) => column === "seq" || column === "hash");

/** Fails on the server unless the log ends with the appended entries, directly after their base. */
const requireStored = prepared((db, slot: Slot<{ readonly seq: number; readonly digest: Uint8Array }>) => {
  const { typed, requireDigest } = languageOf(db);
  const textOf = (columns: typeof COLUMNS) =>
    sql.join(columns.map(([column, kind]) => typed(`audit_event.${column}`, kind)), sql` || ',' || `);
  const entry = sql`case when audit_event.seq = ${slot("seq")} then ${textOf(OF_BASE)} else ${
    textOf(COLUMNS)
  } end`;
  const log = sql`string_agg(${entry}, ';' order by audit_event.seq)`;
  return db.selectFrom("audit_event").select(requireDigest!(log, slot("digest")).as("stored"))
    .where("audit_event.seq", ">=", slot("seq"));
});

/** Returns what `requireStored` compares. */
function digestOf({ base, entries }: Tail): Uint8Array {
  const before = base.seq === 0 ? [] : [typedText(base, OF_BASE)];
  return sha256(utf8([...before, ...entries.map((entry) => typedText(entry, COLUMNS))].join(";")));
}

/** Returns a row as `Language.typed` does. */
function typedText(row: Partial<Tables["audit_event"]>, columns: typeof COLUMNS): string {
  return columns.map(([column, kind]) => {
    const value = row[column] ?? null;
    if (value === null) return "null:";
    const bytes = value instanceof Uint8Array ? value : utf8(String(value));
    return `${kind}:${bytes.toHex().toUpperCase()}`;
  }).join();
}

/** Like `appendAll`, but returns undefined without writing if another process has appended after `base`. */
export async function appendIfLast(
  tx: Db,
  vault: Vault,
  { base, all }: Appending,
): Promise<AuditHead | undefined> {
  const entries = entriesAfter(vault, base, all);
  const isInserted = await insertEntry(tx, entries[0]!) === 1;
  if (!isInserted && (await selectSeq(tx, { seq: base.seq + 1 })).length > 0) return undefined;
  for (const entry of entries.slice(1)) await insertEntry(tx, entry);
  proveStored(watchOf(tx), { base, entries }, await selectFrom(tx, { seq: base.seq }));
  return entries.at(-1)!;
}

function entriesAfter(
  vault: Vault,
  base: AuditHead,
  all: readonly Recorded[],
): readonly Tables["audit_event"][] {
  const entries: Tables["audit_event"][] = [];
  for (const recorded of all) entries.push(entryAfter(vault, entries.at(-1) ?? base, recorded));
  return entries;
}

/** Serializes with sorted members. The details are flat. */
function canonicalJson(detail: AuditEvent["detail"]): string {
  return JSON.stringify(detail, Object.keys(detail).sort());
}

const selectSeq = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select("seq").where("seq", "=", slot("seq"))
);

const selectFrom = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select(STORED_ENTRY).where("audit_event.seq", ">=", slot("seq"))
    .orderBy("audit_event.seq")
);

/** Throws `log_cut` unless the log ends with the appended entries, directly after their base. */
function proveStored(watch: LogWatch, { base, entries }: Tail, rows: readonly StoredEntry[]): void {
  const stored = [...rows];
  const standing = base.seq === 0 ? base : stored.shift();
  if (standing === undefined || Number(standing.seq) !== base.seq) stop(watch, "cut", base.seq);
  else if (!constantTimeEqual(standing.hash, base.hash)) stop(watch, "replaced", base.seq);
  else {
    const lost = entries.find((entry, index) => !isStored(entry, stored[index]));
    if (lost !== undefined) stop(watch, "not_stored", lost.seq);
    else if (stored.length > entries.length) stop(watch, "forged", Number(stored.at(-1)!.seq));
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
    sameValue(stored.state, rest.state) &&
    constantTimeEqual(stored.hash, hash) && constantTimeEqual(stored.mac, mac);
}
