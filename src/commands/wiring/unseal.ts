import { mkdir } from "node:fs/promises";
import { checkpoint } from "../../db/check.ts";
import { connectDatabase, openDatabase } from "../../db/database.ts";
import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { primitives } from "../../runtime/crypto.ts";
import { IN_MEMORY, openSqlite } from "../../runtime/sqlite.ts";
import { openSqliteToRead } from "../../runtime/sqlite-read.ts";
import type { Tee } from "../../tee/tee.ts";
import { openVault, sealKeyIdOf } from "../../vault/seed.ts";
import type { Vault } from "../../vault/vault.ts";
import { getSealKeyId, look, refuseForeign, writeMarker } from "./data-folder.ts";
import type { Places } from "./data-folder.ts";
import { openTee } from "./open-tee.ts";
import type { PlacedKeySource } from "./open-tee.ts";
import { StartRefusal } from "../refusal.ts";

/** What the rest of the service stands on. */
export interface Unsealed {
  readonly db: Db;
  readonly tee: Tee;
  readonly vault: Vault;
}

interface Means {
  readonly now: Instant;
  readonly random: RandomBytes;
}

function refuseOtherKey(
  { needed, given, databasePath, keySource }: {
    readonly needed: string;
    readonly given: string;
    readonly databasePath: string;
    readonly keySource: PlacedKeySource;
  },
): void {
  if (needed === given) return;
  throw new StartRefusal(
    `The sealing key of ${keySource.place} is not the one that sealed ${databasePath}: put the right one back`,
  );
}

/**
 * Opens the TEE, the database and the vault of a configuration. With a wrong or missing sealing key, a foreign
 * database, or an empty one beside a known seal it throws `StartRefusal` before anything was written.
 */
export async function unseal(
  config: Places,
  { now, random }: Means,
): Promise<Unsealed> {
  const { dataDir, databasePath } = config;
  if (databasePath === IN_MEMORY) {
    const { tee } = await openTee(config, { absentKey: "make", random });
    return await openAll(openDatabase(await openSqlite(databasePath)), tee, { now, random });
  }
  const found = await look(config);
  refuseForeign(found, databasePath);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const absentKey = found.database === "absent" ? "make" : "refuse";
  const { tee, keySource } = await openTee(config, { absentKey, random });
  const given = await sealKeyIdOf(tee, primitives);
  if (typeof found.database === "object") {
    refuseOtherKey({ needed: found.database.sealKeyId, given, databasePath, keySource });
  }
  const unsealed = await openAll(openDatabase(await openSqlite(databasePath)), tee, { now, random });
  // A new seed stands in the log alone until then.
  if (found.database === "absent") await checkpoint(unsealed.db);
  await writeMarker(dataDir, given, random);
  return unsealed;
}

/** As `unseal`, for a look at a sealed database that may be serving: nothing is made, migrated or written. */
export async function unsealToRead(
  config: Places,
  { now, random }: Means,
): Promise<Unsealed> {
  const { databasePath } = config;
  const needed = await getSealKeyId(config);
  const { tee, keySource } = await openTee(config, { absentKey: "refuse", random });
  refuseOtherKey({ needed, given: await sealKeyIdOf(tee, primitives), databasePath, keySource });
  return await openAll(Promise.resolve(connectDatabase(openSqliteToRead(databasePath))), tee, {
    now,
    random,
  });
}

async function openAll(opening: Promise<Db>, tee: Tee, { now, random }: Means): Promise<Unsealed> {
  const db = await opening;
  try {
    return { db, tee, vault: await openVault(db, { tee, primitives, random, now }) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
