import { DEVICE_LIFETIME } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow, listRows } from "../../store/read.ts";
import { evictOverLimit } from "../../store/over-limit.ts";
import { removeRow, replaceRow, upsertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** Maximum number of known browsers for each account. A further one replaces the least recently used. */
export const DEVICE_LIMIT = 50;

export interface SignInOrigin {
  /** Browser and system, from `deviceOf`. */
  readonly device: string;
  /** From `networkOf`. */
  readonly network: string;
  /** The hash of the browser's secret, from `readBrowserHash`. */
  readonly deviceHash: string;
}

export interface KnownDevice {
  readonly id: string;
  readonly isNew: boolean;
}

/**
 * Records a sign-in to the account from a browser. Replaces a row that is not authentic and reports the browser as
 * new. To hide a sign-in, an attacker needs the cookie of a known browser.
 */
export async function recordDevice(
  tx: Db,
  authority: RowAuthority,
  value: { accountId: string; deviceHash: string; now: Instant; random: RandomBytes },
): Promise<KnownDevice> {
  const { accountId, deviceHash, now } = value;
  const where = { account_id: accountId, secret_hash: deviceHash };
  const known = await findRow(tx, authority, "account_device", "bySecret", where);
  if (known !== undefined && known.last_seen_at + DEVICE_LIFETIME > now) {
    await replaceRow(tx, authority, "account_device", known, { last_seen_at: now });
    return { id: known.id, isNew: false };
  }
  if (known !== undefined) await removeRow(tx, authority, "account_device", known);
  const all = { account_id: accountId };
  await evictOverLimit(tx, authority, "account_device", "latestOfAccount", all, DEVICE_LIMIT);
  const { row } = await upsertRow(tx, authority, "account_device", "bySecret", {
    id: newId("device", value.random),
    account_id: accountId,
    secret_hash: deviceHash,
    created_at: now,
    last_seen_at: now,
  });
  return { id: row.id, isNew: true };
}

/** Forgets browsers of an account, so that the next sign-in from one of them notifies the owner. */
export async function forgetDevices(
  tx: Db,
  authority: RowAuthority,
  { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const where = { account_id: accountId };
  const known = await listRows(tx, authority, "account_device", "latestOfAccount", where);
  for (const row of known) if (ids.includes(row.id)) await removeRow(tx, authority, "account_device", row);
}

/** Lists the browsers that an account knows, most recently used first. */
export async function listDevices(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly { readonly id: string; readonly createdAt: Instant; readonly lastSeenAt: Instant }[]> {
  const where = { account_id: accountId };
  const rows = await listRows(db, authority, "account_device", "latestOfAccount", where);
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, lastSeenAt: row.last_seen_at }));
}
