import { DEVICE_LIFETIME } from "../../db/lifetimes.ts";
import type { AccountDeviceTable, Db } from "../../db/schema.ts";
import { makeRoom } from "../../db/surplus.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** Most browsers an account knows; a further one makes it forget the one that was used least recently. */
export const DEVICE_LIMIT = 50;

/** Where somebody signs in from. */
export interface Whereabouts {
  /** Browser and system, as `deviceOf` words them. */
  readonly device: string;
  /** As `networkOf` has it. */
  readonly network: string;
  /** Hash of the browser's device secret, as `readBrowserHash` makes it. */
  readonly deviceHash: string;
}

/** A browser that the account now knows. */
export interface KnownDevice {
  readonly id: string;
  /** Whether it did not know it before. */
  readonly isNew: boolean;
}

/**
 * Remembers that somebody signed in to the account from the browser with this secret. A row that somebody edited or put
 * there is replaced, and the browser is new: to hide a sign-in takes the cookie of a browser that was there before.
 */
export async function rememberDevice(
  tx: Db,
  authority: RowAuthority,
  value: { accountId: string; deviceHash: string; now: Instant; random: RandomBytes },
): Promise<KnownDevice> {
  const { accountId, deviceHash, now } = value;
  const row = await tx.selectFrom("account_device").selectAll().where("account_id", "=", accountId)
    .where("secret_hash", "=", deviceHash).executeTakeFirst();
  if (row !== undefined && isKnown(authority, row, now)) {
    await tx.updateTable("account_device").set({ last_seen_at: now }).where("id", "=", row.id).execute();
    return { id: row.id, isNew: false };
  }
  if (row !== undefined) await tx.deleteFrom("account_device").where("id", "=", row.id).execute();
  await makeRoom(tx, { table: "account_device", accountId, limit: DEVICE_LIMIT });
  const covered = {
    id: newId("device", value.random),
    account_id: accountId,
    secret_hash: deviceHash,
    created_at: now,
  };
  await tx.insertInto("account_device")
    .values({ ...covered, last_seen_at: now, mac: authority.mac("account_device", covered) }).execute();
  return { id: covered.id, isNew: true };
}

function isKnown(authority: RowAuthority, row: AccountDeviceTable, now: Instant): boolean {
  return row.last_seen_at + DEVICE_LIFETIME > now && authority.isAuthentic("account_device", row);
}

/** Forgets browsers of an account: the next sign-in from one of them is one from a new device. */
export async function forgetDevices(tx: Db, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom("account_device").where("account_id", "=", accountId).where("id", "in", ids).execute();
}
