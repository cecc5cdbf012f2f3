import type { AuditEvent } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import type { BlindSigning } from "../db/schema/key.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import type { Instant } from "../lib/time.ts";
import { countRows, findRow, listRows, pageRows } from "../store/read.ts";
import { replaceRow, upsertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { getKeyRow, type KeyMaker, type KeyRow, nextRevision } from "./key-row.ts";
import { defaultLabel } from "./label.ts";
import { type PolicyState, toPolicyColumns, toPolicyState } from "./policy-state.ts";

/** Maximum number of keys of an account, archived keys included. */
export const KEY_LIMIT = 10_000;

/** An Ethereum key as its owner sees it. Never contains the private key. */
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
  /** The stored state. Use `policyStateAt` for the policy at a given time. */
  readonly policyState: PolicyState;
}

export const toKey = memoizePerObject((row: KeyRow): EthereumKey => ({
  id: row.id,
  accountId: row.account_id,
  keyIndex: row.key_index,
  address: row.address,
  publicKey: row.public_key,
  label: row.label,
  blindSigning: row.blind_signing,
  createdAt: row.created_at,
  archivedAt: row.archived_at,
  policyState: toPolicyState(row),
}));

/**
 * Creates the account's next key. Indexes are contiguous from 0 and never reused, because keys are never deleted: the
 * next one is the number of keys. Replaces a row at that index that the service did not write. Call it in a transaction
 * that began immediate. Does not check that the account exists (the foreign key does) or the label (`readLabel` does).
 * Throws `too_many_keys`.
 */
export async function createKey(
  tx: Db,
  { vault, authority }: KeyMaker,
  value: { accountId: string; label: string | undefined; now: Instant; random: RandomBytes },
): Promise<EthereumKey> {
  const keyIndex = await countKeys(tx, authority, value.accountId);
  if (keyIndex >= KEY_LIMIT) {
    throw new ProtocolError("too_many_keys", `Cannot make key: the account has ${KEY_LIMIT} already`);
  }
  const { publicKey, address } = vault.ethereumPublicKey(value.accountId, keyIndex);
  const { row } = await upsertRow(tx, authority, "ethereum_key", "byIndex", {
    id: newId("key", value.random),
    account_id: value.accountId,
    key_index: keyIndex,
    address,
    public_key: publicKey,
    label: value.label ?? defaultLabel(keyIndex),
    blind_signing: "allow",
    created_at: value.now,
    archived_at: null,
    revision: null,
    ...toPolicyColumns({ policy: null, change: null }),
  });
  await appendAudit(tx, vault, value.now, {
    event: "key_generated",
    accountId: value.accountId,
    subject: row.id,
    detail: { keyIndex },
  });
  return toKey(row);
}

/** Counts every key of the account, archived keys included. */
export function countKeys(db: Db, authority: RowAuthority, accountId: string): Promise<number> {
  return countRows(db, authority, "ethereum_key", "ofAccount", { account_id: accountId });
}

/** Returns a page of the account's keys ordered by index, from `fromIndex`, and the next index. */
export async function listKeys(
  db: Db,
  authority: RowAuthority,
  value: { accountId: string; archived: "include" | "exclude"; fromIndex: number; limit: number },
): Promise<{ keys: EthereumKey[]; nextIndex: number | undefined }> {
  const lookup = value.archived === "exclude" ? "inUseOfAccount" : "ofAccount";
  const place = { after: { key_index: value.fromIndex - 1 }, limit: value.limit + 1 };
  const where = { account_id: value.accountId };
  const rows = await pageRows(db, authority, "ethereum_key", lookup, where, place);
  const next = rows.at(value.limit);
  return { keys: rows.slice(0, value.limit).map(toKey), nextIndex: next?.key_index };
}

/** Number of keys whose rows take a millisecond to verify. */
export const KEYS_AT_ONCE = 100;

/** Yields every key of the account ordered by index, archived keys included. Reads `KEYS_AT_ONCE` rows at a time. */
export async function* eachKey(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): AsyncGenerator<EthereumKey> {
  for (let fromIndex: number | undefined = 0; fromIndex !== undefined;) {
    const place = { accountId, archived: "include", fromIndex, limit: KEYS_AT_ONCE } as const;
    const part: Awaited<ReturnType<typeof listKeys>> = await listKeys(db, authority, place);
    yield* part.keys;
    fromIndex = part.nextIndex;
  }
}

/** Returns undefined if the account has no such key. */
export async function findKey(
  db: Db,
  authority: RowAuthority,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<EthereumKey | undefined> {
  const where = { account_id: accountId, id: keyId };
  const row = await findRow(db, authority, "ethereum_key", "ofAccountById", where);
  return row === undefined ? undefined : toKey(row);
}

/** Lists every key of the account ordered by index, archived keys included. */
export async function listAllKeys(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<EthereumKey[]> {
  const rows = await listRows(db, authority, "ethereum_key", "ofAccount", { account_id: accountId });
  return rows.map(toKey);
}

/** Returns undefined if no key has this address (20 bytes). Callers must re-read it inside their transaction. */
export async function findKeyByAddress(
  db: Db,
  authority: RowAuthority,
  { accountId, address }: { accountId: string; address: Uint8Array },
): Promise<EthereumKey | undefined> {
  const where = { account_id: accountId, address };
  const row = await findRow(db, authority, "ethereum_key", "byAddress", where);
  return row === undefined ? undefined : toKey(row);
}

/** Throws the errors of `getKeyRow`. */
export async function getKey(
  db: Db,
  maker: KeyMaker,
  value: { accountId: string; keyId: string },
): Promise<EthereumKey> {
  return toKey(await getKeyRow(db, maker, value));
}

export interface KeyChange {
  readonly label?: string | undefined;
  readonly blindSigning?: BlindSigning | undefined;
  readonly archived?: boolean;
}

type ChangedColumns = Pick<KeyRow, "label" | "blind_signing" | "archived_at" | "revision">;

const STRICTNESS: Readonly<Record<BlindSigning, number>> = { allow: 0, guard: 1, deny: 2 };

/** Returns true if a change permits blind signing that the key refuses now. It needs a fresh sign-in. */
export function isLoosening(key: EthereumKey, { blindSigning }: KeyChange): boolean {
  return blindSigning !== undefined && STRICTNESS[blindSigning] < STRICTNESS[key.blindSigning];
}

/** Keeps the first time if the key is archived again. */
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
 * Changes a key by compare-and-set and records its audit events. Does nothing if nothing changes. Does not check the
 * label (`readLabel` does) or the freshness of the sign-in.
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
