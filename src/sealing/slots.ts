import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { type Instant, toIso } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, insertRow, replaceRow, upsertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { judgeSlots, listStoredSlots, readSlotIds, SEAL_SET, type StoredSlot } from "../vault/seal-slot.ts";
import type { Vault } from "../vault/vault.ts";

/** The services that a change of slots needs. */
export interface SlotServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

/** A slot as commands and the API show it. */
export interface SlotView {
  readonly id: string;
  readonly keyId: string;
  readonly source: string;
  /** The version of dstack's guest API. */
  readonly api?: string;
  readonly createdAt: string;
  /** The last start that the slot opened; null before the first. */
  readonly openedAt: string | null;
  /** The number of shares that open a recovery slot, and the number of all its shares. */
  readonly threshold?: number;
  readonly shares?: number;
}

function timeOf(at: Instant): string {
  // A stored slot may have any number, which is no time.
  return at >= 0 && at < 8.64e15 ? toIso(at) : toIso(0);
}

export function showSlot(slot: StoredSlot): SlotView {
  const { id, seal_key_id, source, api, created_at, opened_at, threshold, shares } = slot;
  return {
    id,
    keyId: seal_key_id,
    source,
    ...(api === null ? {} : { api }),
    createdAt: timeOf(created_at),
    openedAt: opened_at === null ? null : timeOf(opened_at),
    ...(threshold === null || shares === null ? {} : { threshold, shares }),
  };
}

/** The part of a slot that tells who can open the seed. */
export interface SlotClaim {
  readonly source: string;
  readonly keyId: string;
}

/**
 * Lists the source and the key id of each slot, oldest first. The holder of any of these keys can open the seed.
 * Throws `DatabaseError` `inconsistent` if the set of slots is not the newest.
 */
export async function listSlotClaims(db: Db, services: SlotServices): Promise<readonly SlotClaim[]> {
  await findSet(db, services.authority);
  const { sound } = await judgeSlots(db, services.vault, await listStoredSlots(db));
  return sound.map(({ source, seal_key_id }) => ({ source, keyId: seal_key_id }));
}

/**
 * Returns true if the slots have a set. Throws `DatabaseError` `inconsistent` if the set is not the newest, `log_cut`
 * if the log has a fault.
 */
export async function hasSlotSet(db: Db, authority: RowAuthority): Promise<boolean> {
  return await findSet(db, authority) !== undefined;
}

async function findSet(db: Db, authority: RowAuthority): Promise<Authentic<"seal_set"> | undefined> {
  return await findRow(db, authority, "seal_set", "byId", { id: SEAL_SET });
}

/** The source that a first slot gets, if it has none. */
export interface FirstSource {
  readonly source: string;
  readonly api?: string;
}

/**
 * Authenticates the first slot of a database by a set of its own, unless it has one. Call it in a transaction. Slots
 * from before sets get their source and MAC here.
 */
export async function adoptFirstSlot(
  tx: Db,
  { vault, authority }: SlotServices,
  { source, api, now }: FirstSource & { readonly now: Instant },
): Promise<void> {
  if (await findSet(tx, authority) !== undefined) return;
  const { sound } = await judgeSlots(tx, vault, await listStoredSlots(tx));
  const [slot] = sound;
  if (slot === undefined) return;
  const { mac, ...row } = slot;
  const isEarlier = mac.length === 0;
  const whole = isEarlier ? { ...row, source, api: api ?? null } : row;
  if (isEarlier) await upsertRow(tx, authority, "seal_slot", "byId", whole);
  await insertRow(tx, authority, "seal_set", { id: SEAL_SET, version: 1, slots: slot.id });
  await record(tx, vault, now, "seal_slot_added", whole);
}

async function record(
  tx: Db,
  vault: Vault,
  now: Instant,
  event: "seal_slot_added" | "seal_slot_removed",
  { id, source }: Pick<StoredSlot, "id" | "source">,
): Promise<void> {
  await appendAudit(tx, vault, now, {
    event,
    accountId: null,
    subject: id,
    detail: { slot: id, source },
  });
}

/** A slot to be added: the seed, sealed under a further key. */
export type NewSlot = Pick<
  StoredSlot,
  "source" | "api" | "seal_key_id" | "version" | "sealed" | "threshold" | "shares" | "share_hashes"
>;

/** The maximum of slots, except after a recovery. Each is a further key that opens the seed. */
export const MOST_SLOTS = 16;

export interface SlotAddition {
  readonly now: Instant;
  readonly random: RandomBytes;
  /** The maximum of slots afterwards; `MOST_SLOTS` by default. */
  readonly most?: number;
}

/**
 * Adds a slot in the caller's transaction, with its audit entry. Returns its id, or undefined without a change if the
 * key has a slot. Does not check that the slot opens. Throws `RangeError` beyond `most`.
 */
export async function addSlot(
  tx: Db,
  { vault, authority }: SlotServices,
  slot: NewSlot,
  { now, random, most = MOST_SLOTS }: SlotAddition,
): Promise<string | undefined> {
  const set = (await findSet(tx, authority))!;
  const { sound } = await judgeSlots(tx, vault, await listStoredSlots(tx));
  if (sound.some(({ seal_key_id }) => seal_key_id === slot.seal_key_id)) return undefined;
  const ids = readSlotIds(set.slots);
  if (ids.length >= most) throw new RangeError(`Cannot add slot: there are ${ids.length}`);
  const id = newId("slot", random);
  await insertRow(tx, authority, "seal_slot", { ...slot, id, created_at: now, opened_at: null });
  await changeSet(tx, authority, set, [...ids, id]);
  await record(tx, vault, now, "seal_slot_added", { id, source: slot.source });
  return id;
}

async function changeSet(
  tx: Db,
  authority: RowAuthority,
  set: Authentic<"seal_set">,
  ids: readonly string[],
): Promise<void> {
  await replaceRow(tx, authority, "seal_set", set, { version: set.version + 1, slots: ids.join(" ") });
}

/** Why a slot cannot be removed. */
export type RemovalFault = "unknown" | "last" | "last_without_holders";

/** Returns why the slot must stay, or undefined if it can go. A slot that does not open can always go. */
export function removalFaultOf(
  slots: { readonly sound: readonly StoredSlot[]; readonly ids: readonly string[] },
  id: string,
): RemovalFault | undefined {
  if (!slots.ids.includes(id)) return "unknown";
  const rest = slots.sound.filter((slot) => slot.id !== id);
  if (rest.length === slots.sound.length) return undefined;
  if (rest.length === 0) return "last";
  return rest.some(({ source }) => source !== "recovery") ? undefined : "last_without_holders";
}

/** A slot to be removed, and the key that opens the seed afterwards. */
export interface SlotRemoval {
  readonly id: string;
  /** The id of a key that was seen to open another slot. */
  readonly provenKeyId: string;
}

/**
 * Removes a slot in the caller's transaction, with its audit entry. Also removes the row of a slot that does not open.
 * Throws `RangeError` if the slot of the proven key is gone, because another change came between.
 */
export async function removeSlot(
  tx: Db,
  { vault, authority }: SlotServices,
  { id, provenKeyId }: SlotRemoval,
  now: Instant,
): Promise<void> {
  const set = (await findSet(tx, authority))!;
  const slots = await listStoredSlots(tx);
  const { sound } = await judgeSlots(tx, vault, slots);
  if (!sound.some((slot) => slot.id !== id && slot.seal_key_id === provenKeyId)) {
    throw new RangeError(`Cannot remove slot: the slot of the key ${provenKeyId} is gone`);
  }
  const stored = slots.find((slot) => slot.id === id);
  if (stored !== undefined) await consumeRow(tx, authority, "seal_slot", "byId", { id });
  const ids = readSlotIds(set.slots);
  if (!ids.includes(id)) return;
  await changeSet(tx, authority, set, ids.filter((other) => other !== id));
  await record(tx, vault, now, "seal_slot_removed", { id, source: stored?.source ?? "unknown" });
}

/** Records that a start opened this slot. */
export async function recordOpening(
  db: Db,
  authority: RowAuthority,
  id: string,
  now: Instant,
): Promise<void> {
  const row = await findRow(db, authority, "seal_slot", "byId", { id });
  if (row !== undefined) await replaceRow(db, authority, "seal_slot", row, { opened_at: now });
}
