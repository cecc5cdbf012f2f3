import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import { NO_HASH } from "./entry.ts";
import { type AuditHead, entryFault, linkedEntries, type StoredEntry } from "./stored-entry.ts";

/**
 * An exported entry with its proof. `hash` can be recomputed from `previousHash` and the other members; only the
 * service can create `mac`. Numbers are as hashed, `detail` is the JSON text, bytes are hexadecimal.
 */
export interface ExportedEntry {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: string;
  readonly accountId: string | null;
  readonly subject: string | null;
  readonly detail: string;
  /** Null if the entry changed no state. */
  readonly state: string | null;
  readonly previousHash: string;
  readonly hash: string;
  readonly mac: string;
}

const PAGE = 500;

/** Yields entries oldest first, without those appended meanwhile. Does not verify: `exportedFault` does. */
export async function* exportEntries(
  db: Db,
  { accountId, head }: { readonly accountId: string; readonly head: AuditHead },
): AsyncGenerator<ExportedEntry> {
  let after = 0;
  for (;;) {
    const rows = await linkedEntries(db)
      .where("audit_event.account_id", "=", accountId)
      .where("audit_event.seq", ">", after).where("audit_event.seq", "<=", head.seq)
      .orderBy("audit_event.seq").limit(PAGE).execute();
    for (const { previous_hash, ...row } of rows) yield toExported(row, previous_hash ?? NO_HASH);
    if (rows.length < PAGE) return;
    after = Number(rows.at(-1)!.seq);
  }
}

function toExported(row: StoredEntry, previous: Uint8Array): ExportedEntry {
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    event: row.event,
    accountId: row.account_id,
    subject: row.subject,
    detail: row.detail,
    state: row.state?.toHex() ?? null,
    previousHash: previous.toHex(),
    hash: row.hash.toHex(),
    mac: row.mac.toHex(),
  };
}

/** Returns the fault of an entry by itself: a wrong hash or a wrong MAC. */
export function exportedFault(vault: Vault, entry: ExportedEntry): "altered" | "forged" | undefined {
  return entryFault(vault, Uint8Array.fromHex(entry.previousHash), {
    seq: String(entry.seq),
    at: String(entry.at),
    event: entry.event,
    account_id: entry.accountId,
    subject: entry.subject,
    detail: entry.detail,
    state: entry.state === null ? null : Uint8Array.fromHex(entry.state),
    hash: Uint8Array.fromHex(entry.hash),
    mac: Uint8Array.fromHex(entry.mac),
  });
}
