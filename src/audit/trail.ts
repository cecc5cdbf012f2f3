import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { NO_HASH } from "./entry.ts";
import { entryFault, isHeadOfOurs, STORED_ENTRY } from "./stored-entry.ts";
import type { AuditHead, StoredEntry } from "./stored-entry.ts";
import { TURNS } from "./turn.ts";

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
}

/**
 * An account's own events before an entry, newest first, and among them what concerns everybody: that the service was
 * put back. Their numbers have gaps: the log is one for all accounts. Each is proven by itself and the hash before it,
 * so nobody but the service can put one in; that none is missing, only `verifyAudit` can say.
 */
export async function listTrail(db: Db, vault: Vault, part: TrailPart): Promise<Trail> {
  const rows = await readPart(db, part);
  const page = rows.slice(0, part.limit);
  const proven = page.filter(({ previous_hash, ...row }) => {
    const previous = row.seq === "1" ? NO_HASH : previous_hash;
    return previous !== null && entryFault(vault, previous, row) === undefined;
  });
  return {
    entries: proven.map(({ seq, at, event, subject, detail }) => (
      { seq: Number(seq), at: Number(at), event, subject, detail: JSON.parse(detail) as TrailEntry["detail"] }
    )),
    unproven: page.length - proven.length,
    nextBefore: rows.length > part.limit ? Number(page.at(-1)!.seq) : undefined,
  };
}

type LinkedEntry = StoredEntry & { readonly previous_hash: Uint8Array | null };

/** One row more than the limit where there is more. */
async function readPart(db: Db, { accountId, before, limit }: TrailPart): Promise<readonly LinkedEntry[]> {
  const query = db.selectFrom("audit_event")
    .leftJoin(
      "audit_event as previous",
      (join) => join.on("previous.seq", "=", sql<number>`audit_event.seq - 1`),
    )
    .select(STORED_ENTRY).select("previous.hash as previous_hash")
    .where("audit_event.seq", "<", before ?? Number.MAX_SAFE_INTEGER)
    .orderBy("audit_event.seq", "desc").limit(limit + 1);
  const own = await query.where("audit_event.account_id", "=", accountId).execute();
  const shared = await query.where("audit_event.event", "=", sql.lit("rollback_acknowledged"))
    // As it stands in the index.
    .where("audit_event.event", "in", TURNS.map((turn) => sql.lit(turn))).execute();
  // What came before there was the account is no business of its owner's.
  const first = own.length > limit ? 0 : Number(own.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER);
  return [...own, ...shared.filter(({ seq }) => Number(seq) > first)]
    .sort((one, other) => Number(other.seq) - Number(one.seq)).slice(0, limit + 1);
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
