import type { AuditEvent } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import { DatabaseError } from "../db/error.ts";
import type { BlindSigning, Db } from "../db/schema/schema.ts";
import { newId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import { perObject } from "../lib/memoize.ts";
import type { Instant } from "../lib/time.ts";
import { openPolicyUse } from "../limits/policy-counters.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, guessCount, listRows, pageRows } from "../store/read.ts";
import { putRow, replaceRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { getKeyRow, lostTerms, nextRevision } from "./key-row.ts";
import type { KeyMaker, KeyRow } from "./key-row.ts";
import { defaultLabel } from "./label.ts";
import { toTerms } from "./policy-state.ts";
import type { PolicyTerms } from "./policy-state.ts";

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
  /** As they stand in its row: `termsAt` says what holds at an instant. */
  readonly terms: PolicyTerms;
}

/** A key as it stands in its row. */
export const toKey = perObject((row: KeyRow): EthereumKey => ({
  id: row.id,
  accountId: row.account_id,
  keyIndex: row.key_index,
  address: row.address,
  publicKey: row.public_key,
  label: row.label,
  blindSigning: row.blind_signing,
  createdAt: row.created_at,
  archivedAt: row.archived_at,
  terms: toTerms(row),
}));

/** The lowest index that none of these keys, which are in the order of their indexes, has. */
function freeIndex(rows: readonly Authentic<"ethereum_key">[]): number {
  const index = rows.findIndex((row, place) => row.key_index !== place);
  return index < 0 ? rows.length : index;
}

/**
 * The index of the account's next key: where all of them are there, behind the last one, and otherwise the lowest that
 * was lost. The database is asked how many there are only to know where to look first.
 */
async function nextIndex(tx: Db, authority: RowAuthority, accountId: string): Promise<number> {
  const all = { account_id: accountId };
  const guess = await guessCount(tx, "ethereum_key", "ofAccount", all);
  const isThere = async (key_index: number): Promise<boolean> =>
    await findRow(tx, authority, "ethereum_key", "byIndex", { ...all, key_index }) !== undefined;
  const isNext = !await isThere(guess) && (guess === 0 || await isThere(guess - 1));
  return isNext ? guess : freeIndex(await listRows(tx, authority, "ethereum_key", "ofAccount", all));
}

/**
 * Makes the account's key of the lowest free index. Indexes are contiguous from 0 and never given twice, because no key
 * is ever deleted: where a row was lost all the same, or was changed by somebody else, this makes the key of its index
 * again, with the same address, and with the policy that the log tells of. Runs in the caller's transaction, which must
 * have begun immediate. Does not check that the account exists (the foreign key does) nor the label (`readLabel` does).
 */
export async function createKey(
  tx: Db,
  { vault, authority }: KeyMaker,
  value: { accountId: string; label: string | undefined; now: Instant; random: RandomBytes },
): Promise<EthereumKey> {
  const keyIndex = await nextIndex(tx, authority, value.accountId);
  const { publicKey, address } = vault.ethereumPublicKey(value.accountId, keyIndex);
  const terms = await lostTerms(tx, vault, { accountId: value.accountId, keyIndex });
  const { row, replaced } = await putRow(tx, authority, "ethereum_key", "byIndex", {
    id: newId("key", value.random),
    account_id: value.accountId,
    key_index: keyIndex,
    address,
    public_key: publicKey,
    label: value.label ?? defaultLabel(keyIndex),
    blind_signing: "allow",
    created_at: value.now,
    archived_at: null,
    ...terms,
  });
  if (replaced !== undefined) {
    throw new DatabaseError("wrong_row", "Cannot make key: its index was kept from us, and is taken");
  }
  if (row.revision !== null) {
    await openPolicyUse(tx, authority, { holderId: row.id, accountId: row.account_id, expiresAt: null });
  }
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
  const way = value.archived === "exclude" ? "inUseOfAccount" : "ofAccount";
  const place = { after: { key_index: value.fromIndex - 1 }, limit: value.limit + 1 };
  const asked = { account_id: value.accountId };
  const rows = await pageRows(db, authority, "ethereum_key", way, asked, place);
  const next = rows.at(value.limit);
  return { keys: rows.slice(0, value.limit).map(toKey), nextIndex: next?.key_index };
}

/** What the account calls one of its keys; undefined where it has none of that id. */
export async function findLabel(
  db: Db,
  authority: RowAuthority,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<string | undefined> {
  const asked = { account_id: accountId, id: keyId };
  return (await findRow(db, authority, "ethereum_key", "ofAccountById", asked))?.label;
}

/** Every key of the account, in the order of their indexes, archived ones too. */
export async function listAllKeys(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<EthereumKey[]> {
  const rows = await listRows(db, authority, "ethereum_key", "ofAccount", { account_id: accountId });
  return rows.map(toKey);
}

/**
 * The account's key with this address of 20 bytes; undefined where there is none. What is done with it looks at it
 * again.
 */
export async function findKeyByAddress(
  db: Db,
  authority: RowAuthority,
  { accountId, address }: { accountId: string; address: Uint8Array },
): Promise<EthereumKey | undefined> {
  const asked = { account_id: accountId, address };
  const row = await findRow(db, authority, "ethereum_key", "byAddress", asked);
  return row === undefined ? undefined : toKey(row);
}

/** The account's key of that id, as `getKeyRow` finds it. */
export async function getKey(
  db: Db,
  maker: KeyMaker,
  value: { accountId: string; keyId: string },
): Promise<EthereumKey> {
  return toKey(await getKeyRow(db, maker, value));
}

/** What an owner may change of a key. */
export interface KeyChange {
  readonly label?: string;
  readonly blindSigning?: BlindSigning;
  readonly archived?: boolean;
}

type ChangedColumns = Pick<KeyRow, "label" | "blind_signing" | "archived_at" | "revision">;

const STRICTNESS: Readonly<Record<BlindSigning, number>> = { allow: 0, guard: 1, deny: 2 };

/** Whether a change would let the key sign blindly what it refuses now: that asks for a fresh sign-in. */
export function isLoosening(key: EthereumKey, { blindSigning }: KeyChange): boolean {
  return blindSigning !== undefined && STRICTNESS[blindSigning] < STRICTNESS[key.blindSigning];
}

/** The columns after the change. Archiving twice keeps the first time. */
function changedColumns(row: KeyRow, change: KeyChange, now: Instant): ChangedColumns {
  return {
    revision: nextRevision(row),
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
function changeEvents(before: KeyRow, after: ChangedColumns): AuditEvent[] {
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
  maker: KeyMaker,
  value: { accountId: string; keyId: string; now: Instant },
  change: KeyChange,
): Promise<EthereumKey> {
  const { vault, authority } = maker;
  const before = await getKeyRow(tx, maker, value);
  const after = changedColumns(before, change, value.now);
  const events = changeEvents(before, after);
  if (events.length === 0) return toKey(before);
  const changed = await replaceRow(tx, authority, "ethereum_key", before, after);
  for (const event of events) await appendAudit(tx, vault, value.now, event);
  return toKey(changed);
}
