import { sql } from "kysely";
import { recall, remember } from "../db/live-transaction.ts";
import { prepared, preparedInsert } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac, NO_HASH } from "./entry.ts";
import type { AuditEvent } from "./event.ts";

const selectHead = prepared((db) =>
  // A literal: with a parameter there SQLite compiles the statement anew each time.
  db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(sql.lit(1))
);

const insertEntry = preparedInsert("audit_event");

/** The chain's last entry, as the transaction that appended it remembers. */
interface Head {
  readonly seq: number;
  readonly hash: Uint8Array;
}

const HEAD = Symbol("audit head");

/**
 * Appends an entry to the audit log in the caller's transaction, so that what it records and the entry are there
 * together or not at all. The write lock that the transaction holds keeps the chain in one line between processes.
 * Does not check that the chain below it is sound: `verifyAudit` does.
 */
export async function appendAudit(tx: Db, vault: Vault, at: Instant, event: AuditEvent): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot append to audit log: not in a transaction");
  const head = recall<Head>(tx, HEAD) ?? (await selectHead(tx, {}))[0];
  const entry = {
    seq: (head?.seq ?? 0) + 1,
    at,
    event: event.event,
    account_id: event.accountId,
    subject: event.subject,
    detail: canonicalJson(event.detail),
  };
  const hash = entryHash(head?.hash ?? NO_HASH, entry);
  await insertEntry(tx, { ...entry, hash, mac: entryMac(vault, entry.seq, hash) });
  remember(tx, HEAD, { seq: entry.seq, hash });
}

/** JSON with its members in order of name. The details are flat. */
function canonicalJson(detail: AuditEvent["detail"]): string {
  return JSON.stringify(detail, Object.keys(detail).sort());
}
