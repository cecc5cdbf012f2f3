import { mkdir } from "node:fs/promises";
import { checkpoint } from "../../db/integrity-check.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../db/database.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { primitives } from "../../runtime/crypto.ts";
import type { Tee } from "../../tee/tee.ts";
import { VaultRefusal } from "../../vault/error.ts";
import { type OpenedSeed, openOrMakeSeed, openSeed, sourcesOf } from "../../vault/seed.ts";
import type { VaultOptions } from "../../vault/seed.ts";
import type { Vault } from "../../vault/vault.ts";
import {
  getSealKeyIds,
  readFolderState,
  refuseForeign,
  type StorageConfig,
  writeMarker,
} from "./data-folder.ts";
import { hasOwnPages, isInMemory, openEngine, openEngineToRead, sizeOf } from "./database.ts";
import { otherSources } from "./key-source.ts";
import { settleSlots } from "./slots.ts";
import { type OpenedTee, openTee, type PlacedKeySource, warn } from "./tee.ts";
import { examineDatabase, examineOpen, refuseUnsound } from "./examine-database.ts";
import { StartRefusal } from "../process/refusal.ts";

export interface OpenedVault {
  readonly db: Db;
  readonly tee: Tee;
  readonly vault: Vault;
  /** The id of the slot that opened. */
  readonly slot: string;
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** `later`: the caller checks all pages and indexes after the opening. */
export type PageCheckTime = "now" | "later";

/** Verifies a database before a byte of it is written. */
async function verifyDatabase(
  storage: StorageConfig,
  { keySource }: OpenedTee,
  { key, pages }: { readonly key: OpeningKey; readonly pages: PageCheckTime },
): Promise<OpenedSeed> {
  const { databasePath } = storage;
  const parts = pages === "now" && hasOwnPages(storage) ? ["pages"] as const : [];
  const found = await examineDatabase(storage, { parts, key });
  for (const { cause } of found.faults) refuseOtherKey(cause, keySource, databasePath);
  refuseUnsound(`The database ${databasePath}`, found);
  return found.seed!;
}

/** The TEE, the further sources of a sealing key, and the cryptography that an opening needs. */
export type OpeningKey = Omit<VaultOptions, "now">;

/** Returns what opens the seed: the TEE's own key, then the sources of `SEAL_SOURCES`. */
export async function openingKeyOf(
  config: StorageConfig,
  opened: OpenedTee,
  random: RandomBytes,
): Promise<OpeningKey> {
  const others = await otherSources({ config, openTee: () => Promise.resolve(opened), random });
  return { tee: opened.tee, others, primitives, random };
}

/** Returns true if the vault did not open because the database was sealed under another key. */
export function isOtherKey(cause: unknown): boolean {
  return cause instanceof VaultRefusal && cause.code === "wrong_sealing_key";
}

/** Throws a refusal with the key's place if the sealing key is the fault. */
export function refuseOtherKey(cause: unknown, { place }: PlacedKeySource, databasePath: string): void {
  if (!isOtherKey(cause)) return;
  const { detail } = cause as VaultRefusal;
  throw new StartRefusal(
    `The sealing key of ${place} is not the one that sealed ${databasePath}: restore the right key; ${detail}`,
    { cause },
  );
}

/** Refuses a foreign schema in a file without a seed, left by an unfinished start or inserted by an attacker. */
async function refuseForeignSchema(storage: StorageConfig): Promise<void> {
  if (sizeOf(storage) === 0) return;
  refuseUnsound(`The database ${storage.databasePath}`, await examineDatabase(storage, { parts: [] }));
}

/**
 * Opens the TEE, the database and the vault of a configuration. Throws `StartRefusal` before anything is written if
 * the sealing key is wrong or missing, or seed, schema or pages are not sound. Also refuses a foreign database, and
 * an empty one beside a known sealing key id.
 */
export async function openConfiguredVault(
  config: StorageConfig,
  { now, random, pages = "now" }: CommandContext & { readonly pages?: PageCheckTime },
): Promise<OpenedVault> {
  const { dataDir, databasePath } = config;
  if (isInMemory(config)) {
    const opened = await openTee(config, { absentKey: "make", random });
    const key = await openingKeyOf(config, opened, random);
    return await openWith(config, key, { now, open: (db) => openOrMakeSeed(db, { ...key, now }) });
  }
  const found = await readFolderState(config);
  refuseForeign(found, databasePath);
  const isNew = found.database === "absent";
  if (isNew) {
    await refuseForeignSchema(config);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  }
  const opened = await openTee(config, { absentKey: isNew ? "make" : "refuse", random });
  const key = await openingKeyOf(config, opened, random);
  const verified = isNew ? undefined : await verifyDatabase(config, opened, { key, pages });
  const openedVault = await openWith(config, key, {
    now,
    open: async (db) => verified ?? await openOrMakeSeed(db, { ...key, now }),
  });
  // Until then a new seed is in the write-ahead log only.
  if (isNew) await checkpoint(openedVault.db);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeMarker(dataDir, openedVault.sealKeyId, random);
  return openedVault;
}

/** Updates the schema and completes the slots. Detects changes since the verification, and later ones. */
async function openWith(
  storage: StorageConfig,
  key: OpeningKey,
  { now, open }: { readonly now: Instant; readonly open: (db: Db) => Promise<OpenedSeed> },
): Promise<OpenedVault & { readonly sealKeyId: string }> {
  const { databasePath } = storage;
  const { tee, random } = key;
  const db = await openDatabase(await openEngine(storage));
  try {
    refuseUnsound(`The database ${databasePath}`, await examineOpen(db, storage, { parts: [] }));
    const seed = await open(db);
    await settleSlots(db, seed, { databasePath, now, random, log: warn });
    tee.forgetSealingKey();
    return { db, tee, vault: seed.vault, slot: seed.slot.id, sealKeyId: seed.slot.seal_key_id };
  } catch (error) {
    await closeDatabase(db);
    throw error;
  }
}

/** Like `openConfiguredVault`, for a database that may be in use. Writes nothing and verifies only the seed. */
export async function openConfiguredVaultToRead(
  config: StorageConfig,
  { random }: Pick<CommandContext, "random">,
): Promise<OpenedVault> {
  const { databasePath } = config;
  await getSealKeyIds(config);
  const opened = await openTee(config, { absentKey: "refuse", random });
  const key = await openingKeyOf(config, opened, random);
  const db = connectDatabase(await openEngineToRead(config));
  try {
    const { vault, slot } = await openSeed(db, { ...key, sources: sourcesOf(key) });
    return { db, tee: opened.tee, vault, slot: slot.id };
  } catch (error) {
    await closeDatabase(db);
    refuseOtherKey(error, opened.keySource, databasePath);
    throw error;
  }
}
