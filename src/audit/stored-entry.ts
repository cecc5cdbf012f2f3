import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { type AuditEntry, entryHash, entryMac, NO_HASH } from "./entry.ts";

/** An entry as stored. The numbers are decimal text, because they may not be safe integers. */
export interface StoredEntry extends AuditEntry {
  readonly seq: string;
  readonly at: string;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** The columns of `audit_event` for a `StoredEntry`. */
export const STORED_ENTRY = [
  sql<string>`cast(audit_event.seq as text)`.as("seq"),
  sql<string>`cast(audit_event.at as text)`.as("at"),
  "audit_event.event",
  "audit_event.account_id",
  "audit_event.subject",
  "audit_event.detail",
  "audit_event.state",
  "audit_event.hash",
  "audit_event.mac",
] as const;

/** An entry's number and hash. A stored copy shows later if the log still begins with the entries up to it. */
export interface AuditHead {
  /** 0 for an empty log. */
  readonly seq: number;
  readonly hash: Uint8Array;
}

export const BEGINNING: AuditHead = { seq: 0, hash: NO_HASH };

export function entryFault(
  vault: Vault,
  previous: Uint8Array,
  entry: StoredEntry,
): "altered" | "forged" | undefined {
  if (!isWellTyped(entry) || !constantTimeEqual(entryHash(previous, entry), entry.hash)) return "altered";
  return isHeadOfOurs(vault, { seq: Number(entry.seq), hash: entry.hash }, entry.mac) ? undefined : "forged";
}

/** Checks column types: a strict table can hold others if they were inserted while it was not strict. */
function isWellTyped({ event, account_id, subject, detail, state, hash, mac }: StoredEntry): boolean {
  return [event, detail].every((value: unknown) => typeof value === "string") &&
    [account_id, subject].every((value: unknown) => value === null || typeof value === "string") &&
    (state === null || (state as unknown) instanceof Uint8Array) &&
    [hash, mac].every((value: unknown) => value instanceof Uint8Array);
}

export function isHeadOfOurs(vault: Vault, { seq, hash }: AuditHead, mac: Uint8Array): boolean {
  return constantTimeEqual(entryMac(vault, seq, hash), mac);
}

/** An entry with the hash of the previous one; null if that is missing. */
export type LinkedEntry = StoredEntry & { readonly previous_hash: Uint8Array | null };

/** Returns a query of entries with their previous hashes. The caller adds conditions on `audit_event`'s columns. */
export function linkedEntries(db: Db) {
  return db.selectFrom("audit_event")
    .leftJoin(
      "audit_event as previous",
      (join) => join.on("previous.seq", "=", sql<number>`audit_event.seq - 1`),
    )
    .select(STORED_ENTRY).select("previous.hash as previous_hash");
}

/**
 * Returns the entry if the service wrote it after the stored previous entry, else undefined. Does not check that it is
 * the one the query asked for, nor any earlier entry.
 */
export function verifiedEntry(
  vault: Vault,
  { previous_hash, ...entry }: LinkedEntry,
): StoredEntry | undefined {
  const previous = entry.seq === "1" ? NO_HASH : previous_hash;
  return previous === null || entryFault(vault, previous, entry) !== undefined ? undefined : entry;
}
