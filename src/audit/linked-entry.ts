import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import type { Vault } from "../vault/vault.ts";
import { NO_HASH } from "./entry.ts";
import { entryFault, STORED_ENTRY } from "./stored-entry.ts";
import type { StoredEntry } from "./stored-entry.ts";

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
