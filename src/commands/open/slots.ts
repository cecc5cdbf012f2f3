import { createRowAuthority } from "../../audit/row-authority.ts";
import { DatabaseError } from "../../db/error.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Instant } from "../../lib/time.ts";
import { primitives } from "../../runtime/crypto.ts";
import {
  addSlot,
  adoptFirstSlot,
  hasSlotSet,
  recordOpening,
  type SlotServices,
} from "../../sealing/slots.ts";
import { TeeStartError } from "../../tee/hardware.ts";
import { prepareSlot } from "../../vault/add-slot.ts";
import { VaultRefusal } from "../../vault/error.ts";
import { judgeSlots, listStoredSlots } from "../../vault/seal-slot.ts";
import type { OpenedSeed } from "../../vault/seed.ts";
import type { Vault } from "../../vault/vault.ts";
import { StartRefusal } from "../process/refusal.ts";

export interface SlotStart {
  readonly databasePath: string;
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly log: Log;
}

/** Creates what changes of slots need. */
export function slotServicesOf({ vault }: Pick<OpenedSeed, "vault">, now: Instant): SlotServices {
  return { vault, authority: createRowAuthority(vault, () => now) };
}

/**
 * Completes the slots at a start, once one opened: authenticates the first slot of a database without a set, adds a
 * slot for the configured source if another one opened the seed. Logs each source that gave no key, and each slot
 * that is refused. Throws `StartRefusal` if the set is not the newest. While the audit log has a fault, changes
 * nothing.
 */
export async function settleSlots(db: Db, opened: OpenedSeed, start: SlotStart): Promise<void> {
  const { databasePath, now, log } = start;
  const services = slotServicesOf(opened, now);
  for (const { source: { source }, sealKeyId, error } of opened.passedOver) {
    if (sealKeyId === undefined) log("warn", "seal_source_unavailable", { source, reason: error.message });
  }
  try {
    await requireSlotSet(db, services, opened, now);
    await addForConfigured(db, services, opened, start);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === "inconsistent") throw olderSet(databasePath, error);
    // The service reports this fault itself, and changes no slot until it is acknowledged.
    if (error.code !== "log_cut") throw error;
  }
  const { refused } = await judgeSlots(db, opened.vault, await listStoredSlots(db));
  for (const { id, fault } of refused) log("warn", "seal_slot_refused", { slot: id, reason: fault });
}

/** Records when a start opened its slot. Only logs if that fails: a start needs no space on the disk. */
export async function recordStart(
  { db, vault, slot }: { readonly db: Db; readonly vault: Vault; readonly slot: string },
  { now, log }: { readonly now: Instant; readonly log: Log },
): Promise<void> {
  const { authority } = slotServicesOf({ vault }, now);
  await recordOpening(db, authority, slot, now).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    log("warn", "seal_slot_opening_not_recorded", { slot, reason: error.code });
  });
}

/** Throws `StartRefusal` if the set of slots is not the newest, as far as the audit log shows it. */
export function olderSet(databasePath: string, cause: unknown): StartRefusal {
  return new StartRefusal(
    `The slots of the seed in ${databasePath} are not the newest: an older set was put back; restore a backup`,
    { cause },
  );
}

/** Authenticates the first slot, unless the database has a set. */
export async function requireSlotSet(
  db: Db,
  services: SlotServices,
  { source: { source, api } }: Pick<OpenedSeed, "source">,
  now: Instant,
): Promise<void> {
  if (await hasSlotSet(db, services.authority)) return;
  const first = api === undefined ? { source } : { source, api };
  await transaction(db, (tx) => adoptFirstSlot(tx, services, { ...first, now }));
}

async function addForConfigured(
  db: Db,
  services: SlotServices,
  { source, passedOver: [first] }: OpenedSeed,
  { now, random, log }: SlotStart,
): Promise<void> {
  if (first?.sealKeyId === undefined) return;
  const configured = first.source;
  const prepared = await prepareSlot(db, { from: [source], to: configured, primitives, random })
    .catch((error: unknown) => {
      if (!(error instanceof TeeStartError || error instanceof VaultRefusal)) throw error;
      log("warn", "seal_source_unavailable", { source: configured.source, reason: error.message });
      return undefined;
    });
  if (prepared?.slot === undefined) return;
  const { slot } = prepared;
  const whole = { ...slot, threshold: null, shares: null, share_hashes: null };
  const id = await transaction(db, (tx) => addSlot(tx, services, whole, { now, random }))
    .catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      // The start goes on by the slot that opened. There are already as many as can be.
      log("warn", "seal_slot_not_added", { source: slot.source, reason: error.message });
      return undefined;
    });
  if (id === undefined) return;
  log("warn", "seal_slot_added", { slot: id, source: slot.source, openedBy: source.source });
}
