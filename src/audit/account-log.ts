import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditEventName } from "./event.ts";
import { NO_HASH } from "./entry.ts";
import { isHeadOfOurs, linkedEntries, provenEntry, STORED_ENTRY } from "./stored-entry.ts";
import type { AuditHead, LinkedEntry } from "./stored-entry.ts";
import { TURNS } from "./log-status.ts";

/** An event as its owner sees it. */
export interface TrailEntry {
  readonly seq: number;
  readonly at: Instant;
  /** A name that this version may not know: an entry outlives the version that wrote it. */
  readonly event: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A page of an account's events. */
export interface Trail {
  /** Newest first. */
  readonly entries: readonly TrailEntry[];
  /** How many of this page are left out because they are not as the service wrote them. */
  readonly unproven: number;
  /** What the next page ends before, undefined on the last one. */
  readonly nextBefore: number | undefined;
}

/** Which part of an account's trail. */
export interface TrailPart {
  readonly accountId: string;
  /** The number of the entry that it ends before; undefined for the newest. */
  readonly before: number | undefined;
  readonly limit: number;
  /** All of them unless given. */
  readonly only?: TrailFilter;
}

/** Which of an account's own entries: of these events, and of this subject. */
export interface TrailFilter {
  readonly events?: readonly AuditEventName[];
  readonly subject?: string;
}

/** How many of an account's entries are looked through for those of a filter, at a time. */
const LOOKBACK = 2000;

/**
 * An account's own events before an entry, newest first, and among them what concerns everybody: that the service was
 * put back. Their numbers have gaps: the log is one for all accounts. Each is proven by itself and the hash before it,
 * so nobody but the service can put one in; that none is missing, only `verifyAudit` can say. With a filter a page may be
 * shorter than its limit though there are more: as many entries are looked through as is quick.
 */
export async function listTrail(db: Db, vault: Vault, part: TrailPart): Promise<Trail> {
  const floor = part.only === undefined ? undefined : await findFloor(db, part);
  const rows = await readPart(db, part, floor);
  const page = rows.slice(0, part.limit);
  const entries = provenOf(vault, page);
  return {
    entries,
    unproven: page.length - entries.length,
    nextBefore: rows.length > part.limit ? Number(page.at(-1)!.seq) : floor,
  };
}

/** Of these entries those that the service wrote as they are. */
function provenOf(vault: Vault, rows: readonly LinkedEntry[]): readonly TrailEntry[] {
  const proven = rows.map((row) => provenEntry(vault, row)).filter((entry) => entry !== undefined);
  return proven.map(({ seq, at, event, subject, detail }) => (
    { seq: Number(seq), at: Number(at), event, subject, detail: JSON.parse(detail) as TrailEntry["detail"] }
  ));
}

/** The entry down to which a filter looks; undefined where that is the account's first. */
async function findFloor(db: Db, { accountId, before }: TrailPart): Promise<number | undefined> {
  const row = await db.selectFrom("audit_event").select("seq").where("account_id", "=", accountId)
    .where("seq", "<", before ?? Number.MAX_SAFE_INTEGER).orderBy("seq", "desc").offset(LOOKBACK).limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : row.seq + 1;
}

/** One row more than the limit where there is more. */
async function readPart(
  db: Db,
  { accountId, before, limit, only }: TrailPart,
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
  const shared = await query.where("audit_event.event", "=", sql.lit("rollback_acknowledged"))
    // As it stands in the index.
    .where("audit_event.event", "in", TURNS.map((turn) => sql.lit(turn))).execute();
  // What came before there was the account is no business of its owner's.
  const first = rows.length > limit ? 0 : Number(rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER);
  return [...rows, ...shared.filter(({ seq }) => Number(seq) > first)]
    .sort((one, other) => Number(other.seq) - Number(one.seq)).slice(0, limit + 1);
}

/**
 * When each of these things of an account last had one of these events, as far as the account's latest entries tell: what
 * lies further back is left out, and so is what the service did not write.
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
  const floor = await findFloor(db, { accountId, before: undefined, limit: 1 }) ?? 0;
  const latest = await db.selectFrom("audit_event").select(["subject", (row) => row.fn.max("seq").as("seq")])
    .where("account_id", "=", accountId).where("seq", ">=", floor).where("event", "in", events)
    .where("subject", "is not", null).groupBy("subject").execute();
  const seqs = latest.filter(({ subject }) => subjects.includes(subject!)).map(({ seq }) => Number(seq));
  const rows = seqs.length === 0
    ? []
    : await linkedEntries(db).where("audit_event.seq", "in", seqs).execute();
  // The question is asked again of what is proven: the grouping may have been another's.
  return new Map(
    provenOf(vault, rows.filter((row) => row.account_id === accountId))
      .filter(({ event }) => events.some((asked) => asked === event))
      .map(({ subject, at }) => [subject!, at]),
  );
}

/** The last entry's number and hash; undefined where the service did not write it. Does not check the entries below. */
export async function findHead(db: Db, vault: Vault): Promise<AuditHead | undefined> {
  const row = await db.selectFrom("audit_event").select(STORED_ENTRY).orderBy("audit_event.seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return { seq: 0, hash: NO_HASH };
  const head = { seq: Number(row.seq), hash: row.hash };
  return isHeadOfOurs(vault, head, row.mac) ? head : undefined;
}
