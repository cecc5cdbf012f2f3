import type { AuditEvent } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import { prepared } from "../db/prepared.ts";
import type { Slot } from "../db/prepared.ts";
import type { BlindSigning, Db, EthereumKeyTable } from "../db/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { defaultLabel } from "./label.ts";

/** An Ethereum key as its owner sees it. The private key is never part of it. */
export interface EthereumKey {
  readonly id: string;
  readonly accountId: string;
  readonly keyIndex: number;
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 65 bytes, uncompressed. */
  readonly publicKey: Uint8Array;
  readonly label: string;
  readonly blindSigning: BlindSigning;
  readonly createdAt: Instant;
  readonly archivedAt: Instant | null;
}

/** What makes a key: the vault that derives it and the authority that seals its row. */
export interface KeyMaker {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

type KeyRow = EthereumKeyTable;

function toKey(row: KeyRow): EthereumKey {
  return {
    id: row.id,
    accountId: row.account_id,
    keyIndex: row.key_index,
    address: row.address,
    publicKey: row.public_key,
    label: row.label,
    blindSigning: row.blind_signing,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
  };
}

/**
 * Makes the account's next key: indexes are contiguous from 0 and never given twice, because the row that holds one
 * is never deleted. Runs in the caller's transaction, which must have begun immediate. Does not check that the account
 * exists (the foreign key does) nor the label (`readLabel` does).
 */
export async function createKey(
  tx: Db,
  { vault, authority }: KeyMaker,
  value: { accountId: string; label: string | undefined; now: Instant; random: RandomBytes },
): Promise<EthereumKey> {
  const last = await tx.selectFrom("ethereum_key").select((expression) =>
    expression.fn.max("key_index").as("index")
  )
    .where("account_id", "=", value.accountId).executeTakeFirst();
  const keyIndex = typeof last?.index === "number" ? last.index + 1 : 0;
  const { publicKey, address } = vault.ethereumPublicKey(value.accountId, keyIndex);
  const unsealed = {
    id: newId("key", value.random),
    account_id: value.accountId,
    key_index: keyIndex,
    address,
    public_key: publicKey,
    label: value.label ?? defaultLabel(keyIndex),
    blind_signing: "allow" as const,
    created_at: value.now,
    archived_at: null,
  };
  const row = { ...unsealed, mac: authority.mac("ethereum_key", unsealed) };
  await tx.insertInto("ethereum_key").values(row).execute();
  await appendAudit(tx, vault, value.now, {
    event: "key_generated",
    accountId: value.accountId,
    subject: row.id,
    detail: { keyIndex },
  });
  return toKey(row);
}

/** A page of the account's keys in the order of their indexes, from `fromIndex` on, and where the next one starts. */
export async function listKeys(
  db: Db,
  authority: RowAuthority,
  value: { accountId: string; archived: "include" | "exclude"; fromIndex: number; limit: number },
): Promise<{ keys: EthereumKey[]; nextIndex: number | undefined }> {
  let query = db.selectFrom("ethereum_key").selectAll().where("account_id", "=", value.accountId)
    .where("key_index", ">=", value.fromIndex).orderBy("key_index").limit(value.limit + 1);
  if (value.archived === "exclude") query = query.where("archived_at", "is", null);
  const rows = await query.execute();
  const next = rows.length > value.limit ? rows.pop() : undefined;
  const keys = rows.filter((row) => authority.isAuthentic("ethereum_key", row)).map(toKey);
  return { keys, nextIndex: next?.key_index };
}

const selectRow = prepared((db, slot: Slot<Pick<KeyRow, "id" | "account_id">>) =>
  db.selectFrom("ethereum_key").selectAll().where("id", "=", slot("id"))
    .where("account_id", "=", slot("account_id"))
);

async function getRow(
  db: Db,
  authority: RowAuthority,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyRow> {
  const [row] = await selectRow(db, { id: keyId, account_id: accountId });
  if (row === undefined || !authority.isAuthentic("ethereum_key", row)) {
    throw new ProtocolError("not_found", "There is no such key");
  }
  return row;
}

/** The account's key of that id. Somebody else's key is `not_found` like one that does not exist. */
export async function getKey(
  db: Db,
  authority: RowAuthority,
  value: { accountId: string; keyId: string },
): Promise<EthereumKey> {
  return toKey(await getRow(db, authority, value));
}

/** What an owner may change of a key. */
export interface KeyChange {
  readonly label?: string;
  readonly blindSigning?: BlindSigning;
  readonly archived?: boolean;
}

const STRICTNESS: Readonly<Record<BlindSigning, number>> = { allow: 0, guard: 1, deny: 2 };

/** Whether a change would let the key sign blindly what it refuses now: that asks for a fresh sign-in. */
export function isLoosening(key: EthereumKey, { blindSigning }: KeyChange): boolean {
  return blindSigning !== undefined && STRICTNESS[blindSigning] < STRICTNESS[key.blindSigning];
}

/** The row after the change, without its MAC. Archiving twice keeps the first time. */
function changedRow(row: KeyRow, change: KeyChange, now: Instant): KeyRow {
  return {
    ...row,
    label: change.label ?? row.label,
    blind_signing: change.blindSigning ?? row.blind_signing,
    archived_at: change.archived === undefined
      ? row.archived_at
      : change.archived
      ? row.archived_at ?? now
      : null,
  };
}

/** One audit event for each thing that really changed. */
function changeEvents(before: KeyRow, after: KeyRow): AuditEvent[] {
  const whose = { accountId: before.account_id, subject: before.id };
  const events: AuditEvent[] = [];
  if (after.label !== before.label) events.push({ ...whose, event: "key_labelled", detail: {} });
  if (after.blind_signing !== before.blind_signing) {
    events.push({ ...whose, event: "blind_signing_changed", detail: { to: after.blind_signing } });
  }
  if ((after.archived_at === null) !== (before.archived_at === null)) {
    const event = after.archived_at === null ? "key_unarchived" : "key_archived";
    events.push({ ...whose, event, detail: {} });
  }
  return events;
}

/**
 * Changes a key of the account by compare-and-set, with its audit events, in the caller's transaction. Asking for what
 * is so already changes nothing and records nothing. Does not check the label (`readLabel` does) nor how fresh the
 * sign-in is.
 */
export async function changeKey(
  tx: Db,
  { vault, authority }: KeyMaker,
  value: { accountId: string; keyId: string; now: Instant },
  change: KeyChange,
): Promise<EthereumKey> {
  const before = await getRow(tx, authority, value);
  const after = changedRow(before, change, value.now);
  const events = changeEvents(before, after);
  if (events.length === 0) return toKey(before);
  const { numUpdatedRows } = await tx.updateTable("ethereum_key").set({
    label: after.label,
    blind_signing: after.blind_signing,
    archived_at: after.archived_at,
    mac: authority.mac("ethereum_key", after),
  }).where("id", "=", before.id).where("mac", "=", before.mac).executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error("Cannot change key: row changed inside the transaction");
  for (const event of events) await appendAudit(tx, vault, value.now, event);
  return toKey(after);
}
