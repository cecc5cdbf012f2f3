import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { TeeStartError } from "../tee/hardware.ts";
import { sealingKeysOf, type SealingKeySource, type Tee } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import { FIRST_SLOT, judgeSlots, listStoredSlots, type StoredSlot } from "./seal-slot.ts";
import { prepareSeedSeal, type SealTarget, SEED_VERSION, unsealSeed, withSealingKey } from "./sealing-key.ts";
import { Vault } from "./vault.ts";

const SEED_LENGTH = 32;

export interface VaultOptions {
  readonly tee: Tee;
  /** Sources that are tried after those of the TEE, in this order. */
  readonly others?: readonly SealingKeySource[];
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
  readonly now: Instant;
}

async function hasRows(tx: Db): Promise<boolean> {
  const account = await tx.selectFrom("account").select("id").limit(1).executeTakeFirst();
  const event = await tx.selectFrom("audit_event").select("seq").limit(1).executeTakeFirst();
  return account !== undefined || event !== undefined;
}

/** Draws a seed and returns its first slot. */
function drawFirstSlot(
  { sealKeyId, sealOnce }: SealTarget,
  { source, api }: SealingKeySource,
  { primitives, random, now }: VaultOptions,
): StoredSlot {
  const seed = random(SEED_LENGTH);
  try {
    if (seed.length !== SEED_LENGTH) {
      throw new TypeError("Cannot create seed: random source gave a wrong number of bytes");
    }
    const slot = {
      id: FIRST_SLOT,
      source,
      api: api ?? null,
      seal_key_id: sealKeyId,
      version: SEED_VERSION,
      sealed: sealOnce(seed),
      threshold: null,
      shares: null,
      share_hashes: null,
      created_at: now,
      opened_at: null,
    };
    return { ...slot, mac: new Vault({ seed, primitives, random }).mac("seal_slot", slot) };
  } finally {
    seed.fill(0);
  }
}

/** Creates the seed of an empty database. If several processes start at once, one of them creates it. */
async function makeSeed(db: Db, options: VaultOptions): Promise<void> {
  const { tee, primitives, random } = options;
  const [source] = sealingKeysOf(tee);
  const target = await withSealingKey(
    source,
    primitives,
    (key, id) => prepareSeedSeal(key, id, random),
  );
  const slot = drawFirstSlot(target, source, options);
  await transaction(db, async (tx) => {
    if ((await listStoredSlots(tx)).length > 0) return;
    if (await hasRows(tx)) {
      throw new VaultRefusal(
        "seed_missing",
        "Cannot open vault: the database has rows but lost its sealed seed",
      );
    }
    await tx.insertInto("seal_slot").values(slot).execute();
  });
}

/** A source that did not open the seed, and why. */
export interface Attempt {
  readonly source: SealingKeySource;
  /** Undefined if the source gave no key. */
  readonly sealKeyId: string | undefined;
  readonly error: Error;
}

export interface OpenedSeed {
  readonly vault: Vault;
  /** The slot that opened, as stored. */
  readonly slot: StoredSlot;
  /** The source that gave its key. */
  readonly source: SealingKeySource;
  /** The sources before it, in order. */
  readonly passedOver: readonly Attempt[];
  /** The seed sealed under each of the targets. */
  readonly sealed: readonly Uint8Array[];
}

export interface SeedOptions extends Pick<VaultOptions, "primitives" | "random"> {
  /** Tried in this order. */
  readonly sources: readonly SealingKeySource[];
  /** Further keys to seal the seed under, once it is open. */
  readonly targets?: readonly SealTarget[];
}

/**
 * Opens the seed with the first source that gives the key of a sound slot. Writes nothing. A slot that the seed does
 * not authenticate, or that is not in its set, does not open. A source that gives no key, or another, is passed over.
 * Throws `VaultRefusal` with each slot and what was found if none opens.
 */
export async function openSeed(db: Db, options: SeedOptions): Promise<OpenedSeed> {
  const slots = await listStoredSlots(db);
  if (slots.length === 0) {
    throw new VaultRefusal("seed_missing", "Cannot open vault: the database has no sealed seed");
  }
  const attempts: Attempt[] = [];
  for (const source of options.sources) {
    const found = await tryFor(db, source, slots, options);
    if ("vault" in found) return { ...found, passedOver: attempts };
    attempts.push(found);
  }
  throw refusalOf(slots, attempts);
}

/** Opens the first sound slot of one source's key. */
async function tryFor(
  db: Db,
  source: SealingKeySource,
  slots: readonly StoredSlot[],
  { primitives, random, targets = [] }: SeedOptions,
): Promise<Omit<OpenedSeed, "passedOver"> | Attempt> {
  let sealKeyId: string | undefined;
  let error: Error = new VaultRefusal(
    "wrong_sealing_key",
    "Cannot open vault: the database was sealed under another key",
  );
  const openings = await withSealingKey(source, primitives, (key, id) => {
    sealKeyId = id;
    return slots.filter((slot) => slot.seal_key_id === id).map((slot) => {
      try {
        const seed = unsealSeed(key, slot);
        try {
          const sealed = targets.map(({ sealOnce }) => sealOnce(seed));
          return { slot, sealed, vault: new Vault({ seed, primitives, random }) };
        } finally {
          seed.fill(0);
        }
      } catch (cause) {
        if (!(cause instanceof VaultRefusal)) throw cause;
        return cause;
      }
    });
  }).catch((cause: unknown) => {
    if (!(cause instanceof VaultRefusal || cause instanceof TeeStartError)) throw cause;
    return [cause];
  });
  for (const opening of openings) {
    if (opening instanceof Error) error = opening;
    else {
      const { sound, refused, set } = await judgeSlots(db, opening.vault, slots);
      if (sound.includes(opening.slot)) return { ...opening, source };
      const fault = refused.find(({ id }) => id === opening.slot.id)!.fault;
      const reason = set === "forged" ? "the set of its slots was changed" : REASONS[fault];
      error = new VaultRefusal("slot_refused", `Cannot open vault: ${reason}`);
    }
  }
  return { source, sealKeyId, error };
}

const REASONS = {
  not_authentic: "the slot of this key was changed",
  not_in_set: "the slot of this key was removed, or is another database's",
} as const;

/** Returns the refusal of the first source, with all slots and what each source gave. */
function refusalOf(slots: readonly StoredSlot[], attempts: readonly Attempt[]): VaultRefusal {
  const [first] = attempts;
  const code = first?.error instanceof VaultRefusal ? first.error.code : "sealing_key_unavailable";
  const message = first?.error.message ?? "Cannot open vault: no source of a sealing key is named";
  const detail = `slots: ${slots.map(describeSlot).join("; ")}. Found: ${
    attempts.map(describeAttempt).join("; ") || "nothing"
  }. See ${RUNBOOK}`;
  return new VaultRefusal(code, message, { cause: first?.error, detail });
}

/** The section for a start that no slot opens. */
const RUNBOOK = "docs/how-to/keep-the-seed.md#when-nothing-opens";

function describeSlot({ id, source, api, seal_key_id }: StoredSlot): string {
  return `${id} (${source === "" ? "first" : source}${api === null ? "" : ` ${api}`}, key ${seal_key_id})`;
}

function describeAttempt({ source: { source, api }, sealKeyId, error }: Attempt): string {
  const name = api === undefined ? source : `${source} ${api}`;
  const reason = error.message.replace(/^Cannot open vault: /, "");
  return sealKeyId === undefined ? `${name}: ${reason}` : `${name} with the key ${sealKeyId}: ${reason}`;
}

/** Returns the sources of an opening in order: those of the TEE, then the others. */
export function sourcesOf(
  { tee, others = [] }: Pick<VaultOptions, "tee" | "others">,
): readonly SealingKeySource[] {
  return [...sealingKeysOf(tee), ...others];
}

/**
 * Opens the seed of a database, and creates that of an empty one. Processes that start at once use the same seed.
 * Throws `VaultRefusal`, without writing, if the seed is unavailable. Does not detect that the whole database was
 * deleted: the operator must compare with what was there before.
 */
export async function openOrMakeSeed(db: Db, options: VaultOptions): Promise<OpenedSeed> {
  if ((await listStoredSlots(db)).length === 0) await makeSeed(db, options);
  return await openSeed(db, { ...options, sources: sourcesOf(options) });
}
