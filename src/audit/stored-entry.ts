import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac, NO_HASH } from "./entry.ts";
import type { AuditEntry } from "./entry.ts";

/** An entry as it is read. Its numbers are decimal text, because nobody has looked yet whether they are safe. */
export interface StoredEntry extends AuditEntry {
  readonly seq: string;
  readonly at: string;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** What to select of `audit_event` for a `StoredEntry`. */
export const STORED_ENTRY = [
  sql<string>`cast(audit_event.seq as text)`.as("seq"),
  sql<string>`cast(audit_event.at as text)`.as("at"),
  "audit_event.event",
  "audit_event.account_id",
  "audit_event.subject",
  "audit_event.detail",
  "audit_event.hash",
  "audit_event.mac",
] as const;

/** The last entry: who keeps it can tell later that the log still begins with the entries up to it. */
export interface AuditHead {
  /** 0 for an empty log. */
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** Before the first entry. */
export const BEGINNING: AuditHead = { seq: 0, hash: NO_HASH };

/** How an entry is wrong by itself, given the hash of the one before it. */
export function entryFault(
  vault: Vault,
  previous: Uint8Array,
  entry: StoredEntry,
): "altered" | "forged" | undefined {
  if (!isWellTyped(entry) || !constantTimeEqual(entryHash(previous, entry), entry.hash)) return "altered";
  return isHeadOfOurs(vault, { seq: Number(entry.seq), hash: entry.hash }, entry.mac) ? undefined : "forged";
}

/** Whether each column has a value of its kind: a strict table's can hold others, put in while it was none. */
function isWellTyped({ event, account_id, subject, detail, hash, mac }: StoredEntry): boolean {
  return [event, detail].every((value: unknown) => typeof value === "string") &&
    [account_id, subject].every((value: unknown) => value === null || typeof value === "string") &&
    [hash, mac].every((value: unknown) => value instanceof Uint8Array);
}

/** Whether the service wrote an entry with this number and hash. */
export function isHeadOfOurs(vault: Vault, { seq, hash }: AuditHead, mac: Uint8Array): boolean {
  return constantTimeEqual(entryMac(vault, seq, hash), mac);
}

/** An entry with the hash of the one before it, which it is proven by; null where that one is not there. */
export type LinkedEntry = StoredEntry & { readonly previous_hash: Uint8Array | null };

/** The query of entries with what each is proven by, for whoever adds which ones; their columns are `audit_event`'s. */
export function linkedEntries(db: Db) {
  return db.selectFrom("audit_event")
    .leftJoin(
      "audit_event as previous",
      (join) => join.on("previous.seq", "=", sql<number>`audit_event.seq - 1`),
    )
    .select(STORED_ENTRY).select("previous.hash as previous_hash");
}

/**
 * The entry, where the service wrote it as it is, after the one that stands before it; else undefined. Says nothing of
 * whether it is the one that was asked for, nor of the entries below the one before it.
 */
export function provenEntry(
  vault: Vault,
  { previous_hash, ...entry }: LinkedEntry,
): StoredEntry | undefined {
  const previous = entry.seq === "1" ? NO_HASH : previous_hash;
  return previous === null || entryFault(vault, previous, entry) !== undefined ? undefined : entry;
}
