import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditEventName } from "./event.ts";
import { NO_HASH } from "./entry.ts";
import { isHeadOfOurs, linkedEntries, STORED_ENTRY, verifiedEntry } from "./stored-entry.ts";
import type { AuditHead, LinkedEntry } from "./stored-entry.ts";
import { LOG_STATUS_EVENTS } from "./log-status.ts";

export interface AccountLogEntry {
  readonly seq: number;
  readonly at: Instant;
  /** The name may be unknown to this version: an entry outlives the version that wrote it. */
  readonly event: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AccountLogPage {
  /** Newest first. */
  readonly entries: readonly AccountLogEntry[];
  /** The number of entries left out of this page because they are not authentic. */
  readonly unverified: number;
  /** The value of `before` for the next page; undefined on the last page. */
  readonly nextBefore: number | undefined;
}

export interface AccountLogQuery {
  readonly accountId: string;
  /** The exclusive upper bound; undefined for the newest entries. */
  readonly before: number | undefined;
  readonly limit: number;
  /** All entries by default. */
  readonly only?: AccountLogFilter;
}

/** A filter of an account's own entries by event and subject. */
export interface AccountLogFilter {
  readonly events?: readonly AuditEventName[];
  readonly subject?: string;
}

/** The number of an account's entries searched per page with a filter. */
const LOOKBACK = 2000;

/**
 * Lists an account's own events before an entry, newest first, and events that concern all accounts, such as an
 * acknowledged rollback. The numbers have gaps, because all accounts share one log. Verifies each entry with the hash
 * before it, so that an attacker cannot insert one. Does not detect a missing entry: only `verifyAudit` does. With a
 * filter, a page may be shorter than its limit although more follow, because the search is bounded.
 */
export async function listAccountLog(db: Db, vault: Vault, part: AccountLogQuery): Promise<AccountLogPage> {
  const floor = part.only === undefined ? undefined : await findFloor(db, part);
  const rows = await readPart(db, part, floor);
  const page = rows.slice(0, part.limit);
  const entries = verifyEntries(vault, page.filter((row) => isListed(row, part)));
  return {
    entries,
    unverified: page.length - entries.length,
    nextBefore: rows.length > part.limit ? Number(page.at(-1)!.seq) : floor,
  };
}

/**
 * Returns true if the entry is one that was asked for: a manipulated table can return an authentic one of another
 * account.
 */
function isListed({ seq, account_id, event, subject }: LinkedEntry, part: AccountLogQuery): boolean {
  const { accountId, before = Number.MAX_SAFE_INTEGER, only } = part;
  if (Number(seq) >= before) return false;
  if (only === undefined && account_id === null) return isShared(event);
  return account_id === accountId &&
    (only?.events === undefined || only.events.some((name) => name === event)) &&
    (only?.subject === undefined || only.subject === subject);
}

/** The changes of the keys that open the seed. Shown to all accounts, as an acknowledged rollback is. */
const SLOT_EVENTS = ["seal_slot_added", "seal_slot_removed"] as const satisfies readonly AuditEventName[];

function isShared(event: string): boolean {
  return event === "rollback_acknowledged" || SLOT_EVENTS.some((name) => name === event);
}

function verifyEntries(vault: Vault, rows: readonly LinkedEntry[]): readonly AccountLogEntry[] {
  const verified = rows.map((row) => verifiedEntry(vault, row)).filter((entry) => entry !== undefined);
  return verified.map(({ seq, at, event, subject, detail }) => (
    {
      seq: Number(seq),
      at: Number(at),
      event,
      subject,
      detail: JSON.parse(detail) as AccountLogEntry["detail"],
    }
  ));
}

/** Returns the lowest entry that a filter searches, or undefined if that is the account's first. */
async function findFloor(
  db: Db,
  { accountId, before }: Pick<AccountLogQuery, "accountId" | "before">,
): Promise<number | undefined> {
  const row = await db.selectFrom("audit_event").select("seq").where("account_id", "=", accountId)
    .where("seq", "<", before ?? Number.MAX_SAFE_INTEGER).orderBy("seq", "desc").offset(LOOKBACK).limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : row.seq + 1;
}

async function readPart(
  db: Db,
  { accountId, before, limit, only }: AccountLogQuery,
  floor = 0,
): Promise<readonly LinkedEntry[]> {
  const query = linkedEntries(db)
    .where("audit_event.seq", "<", before ?? Number.MAX_SAFE_INTEGER)
    .orderBy("audit_event.seq", "desc").limit(limit + 1);
  const own = query.where("audit_event.account_id", "=", accountId);
  if (only !== undefined) {
    const { events, subject } = only;
    return await own.where("audit_event.seq", ">=", floor)
      .$if(events !== undefined, (part) => part.where("audit_event.event", "in", events!))
      .$if(subject !== undefined, (part) => part.where("audit_event.subject", "=", subject!)).execute();
  }
  const rows = await own.execute();
  // The lists of events are written as in the indexes.
  const shared = [
    ...await query.where("audit_event.event", "=", sql.lit("rollback_acknowledged"))
      .where("audit_event.event", "in", LOG_STATUS_EVENTS.map((name) => sql.lit(name))).execute(),
    ...await query.where("audit_event.event", "in", SLOT_EVENTS.map((name) => sql.lit(name))).execute(),
  ];
  // Leaves out shared events from before the account's first entry.
  const first = rows.length > limit ? 0 : Number(rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER);
  return [...rows, ...shared.filter(({ seq }) => Number(seq) > first)]
    .sort((one, other) => Number(other.seq) - Number(one.seq)).slice(0, limit + 1);
}

/**
 * Returns when each of the subjects last had one of these events. Considers only the account's latest entries, and only
 * authentic ones.
 */
export async function findLatest(
  db: Db,
  vault: Vault,
  { accountId, events, subjects }: {
    readonly accountId: string;
    readonly events: readonly AuditEventName[];
    readonly subjects: readonly string[];
  },
): Promise<ReadonlyMap<string, Instant>> {
  const floor = await findFloor(db, { accountId, before: undefined }) ?? 0;
  const latest = await db.selectFrom("audit_event").select(["subject", (row) => row.fn.max("seq").as("seq")])
    .where("account_id", "=", accountId).where("seq", ">=", floor).where("event", "in", events)
    .where("subject", "is not", null).groupBy("subject").execute();
  const seqs = latest.filter(({ subject }) => subjects.includes(subject!)).map(({ seq }) => Number(seq));
  const rows = seqs.length === 0
    ? []
    : await linkedEntries(db).where("audit_event.seq", "in", seqs).execute();
  // Checks account and event again in the authentic rows, because the database may group incorrectly.
  return new Map(
    verifyEntries(vault, rows.filter((row) => row.account_id === accountId))
      .filter(({ event }) => events.some((requested) => requested === event))
      .map(({ subject, at }) => [subject!, at]),
  );
}

/** Returns the last entry's number and hash, or undefined if it is not authentic. Does not check earlier entries. */
export async function findHead(db: Db, vault: Vault): Promise<AuditHead | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).orderBy("audit_event.seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return { seq: 0, hash: NO_HASH };
  const head = { seq: Number(row.seq), hash: row.hash };
  return isHeadOfOurs(vault, head, row.mac) ? head : undefined;
}
