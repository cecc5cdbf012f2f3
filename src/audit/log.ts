import { prepared } from "../db/prepared.ts";
import type { Slot } from "../db/prepared.ts";
import type { AuditEventTable, Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { entryHash, entryMac, NO_HASH } from "./entry.ts";
import type { AuditEvent } from "./event.ts";

const selectHead = prepared((db) =>
  db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(1)
);

const insertEntry = prepared((db, slot: Slot<AuditEventTable>) =>
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
);

/**
 * Appends an entry to the audit log in the caller's transaction, so that what it records and the entry are there
 * together or not at all. The write lock that the transaction holds keeps the chain in one line between processes.
 * Does not check that the chain below it is sound: `verifyAudit` does.
 */
export async function appendAudit(tx: Db, vault: Vault, at: Instant, event: AuditEvent): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot append to audit log: not in a transaction");
  const [head] = await selectHead(tx, {});
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
}

/** JSON with its members in order of name. The details are flat. */
function canonicalJson(detail: AuditEvent["detail"]): string {
  return JSON.stringify(detail, Object.keys(detail).sort());
}
