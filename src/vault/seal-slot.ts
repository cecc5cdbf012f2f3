import { type Kysely, sql } from "kysely";
import { readSchema } from "../db/migrate.ts";
import { SLOTS_MIGRATION } from "../db/migrations/migrations.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import type { Vault } from "./vault.ts";

// Several slots hold the one seed, each sealed under a key of its own, as in a LUKS header. The seed authenticates
// each slot by its MAC, and their set by the row of `seal_set`.

/** A slot as stored, not authenticated. Numbers out of range are NaN. */
export type StoredSlot = Readonly<Tables["seal_slot"]>;

/** The first slot of a database, made with its seed or from a database that had no slots. */
export const FIRST_SLOT = "slot_first";

/** The id of the one row of `seal_set`. */
export const SEAL_SET = "seed";

interface RawSlot extends Omit<StoredSlot, NumberColumn> {
  readonly version: string;
  readonly threshold: string | null;
  readonly shares: string | null;
  readonly created_at: string;
  readonly opened_at: string | null;
}

type NumberColumn = "version" | "threshold" | "shares" | "created_at" | "opened_at";

/** Selects a number as text, because an edited one may not be a safe number. */
function asText(column: NumberColumn) {
  return sql<string>`cast(${sql.ref(column)} as text)`.as(column);
}

function toNumber(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : NaN;
}

function toSlot({ version, threshold, shares, created_at, opened_at, ...texts }: RawSlot): StoredSlot {
  const optional = (text: string | null): number | null => text === null ? null : toNumber(text);
  return {
    ...texts,
    version: toNumber(version),
    threshold: optional(threshold),
    shares: optional(shares),
    created_at: toNumber(created_at),
    opened_at: optional(opened_at),
  };
}

/** Lists all slots as stored, oldest first. A database from before slots has one, without a source. */
export async function listStoredSlots(db: Db): Promise<readonly StoredSlot[]> {
  if (!(await readSchema(db)).applied.includes(SLOTS_MIGRATION)) return await listEarlierSeed(db);
  const rows = await db.selectFrom("seal_slot").select(["id", "source", "api", "seal_key_id", "sealed"])
    .select(["share_hashes", "mac"])
    .select((["version", "threshold", "shares", "created_at", "opened_at"] as const).map(asText))
    .orderBy("created_at").orderBy("id").execute();
  return (rows as unknown as RawSlot[]).map(toSlot);
}

interface EarlierTables {
  sealed_seed: { id: number; version: number; seal_key_id: string; sealed: Uint8Array; created_at: number };
}

async function listEarlierSeed(db: Db): Promise<readonly StoredSlot[]> {
  const rows = await (db as unknown as Kysely<EarlierTables>).selectFrom("sealed_seed")
    .select(["seal_key_id", "sealed", asText("version"), asText("created_at")]).where("id", "=", 1).execute();
  return (rows as unknown as RawSlot[]).map((row) =>
    toSlot({
      ...row,
      id: FIRST_SLOT,
      source: "",
      api: null,
      threshold: null,
      shares: null,
      share_hashes: null,
      opened_at: null,
      mac: new Uint8Array(),
    })
  );
}

/** Why a stored slot does not open. */
export type SlotFault = "not_authentic" | "not_in_set";

export interface RefusedSlot {
  readonly id: string;
  readonly fault: SlotFault;
}

/** The slots of a database, judged by its seed. */
export interface JudgedSlots {
  /** Oldest first. */
  readonly sound: readonly StoredSlot[];
  readonly refused: readonly RefusedSlot[];
  /** The ids of the slots that the set has and the database has not. */
  readonly missing: readonly string[];
  /** `none`: the slots were not authenticated yet. `forged`: no slot is in the set. */
  readonly set: "authentic" | "forged" | "none";
}

/** The ids in the set; undefined if there is none. */
export function readSlotIds(slots: string): readonly string[] {
  return slots.split(" ");
}

/**
 * Judges every stored slot: its MAC, and its place in the set. Without a set, which only a database has whose slots no
 * start authenticated yet, accepts the first slot alone. Does not detect an older set: the audit log shows it.
 */
export async function judgeSlots(
  db: Db,
  vault: Vault,
  slots: readonly StoredSlot[],
): Promise<JudgedSlots> {
  const { applied } = await readSchema(db);
  const [row] = applied.includes(SLOTS_MIGRATION)
    ? await db.selectFrom("seal_set").selectAll().where("id", "=", SEAL_SET).execute()
    : [];
  if (row === undefined) return judgeFirst(vault, slots);
  const isAuthentic = vault.verifyMac("seal_set", { ...row, version: Number(row.version) });
  const ids = isAuthentic ? readSlotIds(row.slots) : [];
  const faultOf = (slot: StoredSlot): SlotFault | undefined => {
    if (!vault.verifyMac("seal_slot", slot)) return "not_authentic";
    return ids.includes(slot.id) ? undefined : "not_in_set";
  };
  return {
    ...partition(slots, faultOf),
    missing: ids.filter((id) => !slots.some((slot) => slot.id === id)),
    set: isAuthentic ? "authentic" : "forged",
  };
}

function judgeFirst(vault: Vault, slots: readonly StoredSlot[]): JudgedSlots {
  const faultOf = (slot: StoredSlot): SlotFault | undefined => {
    if (slot.id !== FIRST_SLOT) return "not_in_set";
    return slot.mac.length === 0 || vault.verifyMac("seal_slot", slot) ? undefined : "not_authentic";
  };
  return { ...partition(slots, faultOf), missing: [], set: "none" };
}

function partition(
  slots: readonly StoredSlot[],
  faultOf: (slot: StoredSlot) => SlotFault | undefined,
): Pick<JudgedSlots, "sound" | "refused"> {
  const sound: StoredSlot[] = [];
  const refused: RefusedSlot[] = [];
  for (const slot of slots) {
    const fault = faultOf(slot);
    if (fault === undefined) sound.push(slot);
    else refused.push({ id: slot.id, fault });
  }
  return { sound, refused };
}
