import { mkdir } from "node:fs/promises";
import { checkpoint } from "../../db/integrity-check.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../db/database.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { primitives } from "../../runtime/crypto.ts";
import type { Tee } from "../../tee/tee.ts";
import { VaultRefusal } from "../../vault/error.ts";
import { findSealedSeed, openSealedVault, openVault } from "../../vault/seed.ts";
import type { Vault } from "../../vault/vault.ts";
import {
  getSealKeyId,
  readFolderState,
  refuseForeign,
  type StorageConfig,
  writeMarker,
} from "./data-folder.ts";
import { isInMemory, openEngine, openEngineToRead, sizeOf } from "./database.ts";
import { type OpenedTee, openTee, type PlacedKeySource } from "./tee.ts";
import { examineDatabase, examineOpen, refuseUnsound } from "./examine-database.ts";
import { StartRefusal } from "../process/refusal.ts";

export interface OpenedVault {
  readonly db: Db;
  readonly tee: Tee;
  readonly vault: Vault;
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Size up to which a start checks every page and index, in less than a second. */
const SMALL = 64 * 1024 * 1024;

/** Verifies a database before a byte of it is written. Reads pages and indexes of a small one only. */
async function verifyDatabase(
  storage: StorageConfig,
  { tee, keySource }: OpenedTee,
  random: RandomBytes,
): Promise<Vault> {
  const { databasePath } = storage;
  const size = sizeOf(storage);
  // A server checks its own pages.
  const parts = size !== undefined && size <= SMALL ? ["pages"] as const : [];
  const found = await examineDatabase(storage, { parts, key: { tee, primitives, random } });
  for (const { cause } of found.faults) refuseOtherKey(cause, keySource, databasePath);
  refuseUnsound(`The database ${databasePath}`, found);
  return found.vault!;
}

/** Returns true if the vault did not open because the database was sealed under another key. */
export function isOtherKey(cause: unknown): boolean {
  return cause instanceof VaultRefusal && cause.code === "wrong_sealing_key";
}

/** Throws a refusal with the key's place if the sealing key is the fault. */
export function refuseOtherKey(cause: unknown, { place }: PlacedKeySource, databasePath: string): void {
  if (!isOtherKey(cause)) return;
  throw new StartRefusal(
    `The sealing key of ${place} is not the one that sealed ${databasePath}: restore the right key`,
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
  { now, random }: CommandContext,
): Promise<OpenedVault> {
  const { dataDir, databasePath } = config;
  if (isInMemory(config)) {
    const { tee } = await openTee(config, { absentKey: "make", random });
    return await openWith(config, tee, (db) => openVault(db, { tee, primitives, random, now }));
  }
  const found = await readFolderState(config);
  refuseForeign(found, databasePath);
  const isNew = found.database === "absent";
  if (isNew) {
    await refuseForeignSchema(config);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  }
  const opened = await openTee(config, { absentKey: isNew ? "make" : "refuse", random });
  const { tee } = opened;
  const verifiedVault = isNew ? undefined : await verifyDatabase(config, opened, random);
  const openedVault = await openWith(
    config,
    tee,
    async (db) => verifiedVault ?? await openVault(db, { tee, primitives, random, now }),
  );
  // Until then a new seed is in the write-ahead log only.
  if (isNew) await checkpoint(openedVault.db);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeMarker(dataDir, (await findSealedSeed(openedVault.db))!.seal_key_id, random);
  return openedVault;
}

/** Updates the schema. Detects changes since the verification, and later ones. */
async function openWith(
  storage: StorageConfig,
  tee: Tee,
  open: (db: Db) => Promise<Vault>,
): Promise<OpenedVault> {
  const db = await openDatabase(await openEngine(storage));
  try {
    refuseUnsound(`The database ${storage.databasePath}`, await examineOpen(db, storage, { parts: [] }));
    const vault = await open(db);
    tee.forgetSealingKey();
    return { db, tee, vault };
  } catch (error) {
    await closeDatabase(db);
    throw error;
  }
}

/** Like `openConfiguredVault`, for a database that may be in use. Writes nothing and verifies only the seed. */
export async function openConfiguredVaultToRead(
  config: StorageConfig,
  { random }: CommandContext,
): Promise<OpenedVault> {
  const { databasePath } = config;
  await getSealKeyId(config);
  const { tee, keySource } = await openTee(config, { absentKey: "refuse", random });
  const db = connectDatabase(await openEngineToRead(config));
  try {
    return { db, tee, vault: await openSealedVault(db, { tee, primitives, random }) };
  } catch (error) {
    await closeDatabase(db);
    refuseOtherKey(error, keySource, databasePath);
    throw error;
  }
}
