import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import type { Db } from "../db/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { primitives } from "../runtime/crypto.ts";
import { openSqlite, readSealKeyId } from "../runtime/sqlite.ts";
import { openSimulatedTee } from "../tee/simulated.ts";
import type { Tee } from "../tee/tee.ts";
import { openVault, sealKeyIdOf } from "../vault/seed.ts";
import type { Vault } from "../vault/vault.ts";

/** The service will not start over what it found: nothing was changed. The message says what to do. */
export class StartRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartRefusal";
  }
}

/** What the rest of the service stands on. */
export interface Unsealed {
  readonly db: Db;
  readonly tee: Tee;
  readonly vault: Vault;
}

/** Remembers which seal the data folder belongs to, so that an empty database beside it is not a fresh start. */
const MARKER = "seal-key-id";
const SIMULATED_KEY = "simulated-sealing-key";

interface Found {
  /** The seal the marker names; undefined when there is no marker. */
  readonly marked: string | undefined;
  readonly database: Awaited<ReturnType<typeof readSealKeyId>>;
}

/** Looks at the data folder without changing a byte. The marker is read first: it is written after the database. */
async function look(dataDir: string, databasePath: string): Promise<Found> {
  const markerPath = join(dataDir, MARKER);
  const marked = existsSync(markerPath) ? readFileSync(markerPath, "utf8").trim() : undefined;
  return { marked, database: await readSealKeyId(databasePath) };
}

function refuseForeign({ marked, database }: Found, databasePath: string): void {
  if (database === "foreign") {
    throw new StartRefusal(`${databasePath} is not a Holdfast database; set DATABASE_URL to another file`);
  }
  if (database === "absent" && marked !== undefined) {
    throw new StartRefusal(
      `The database ${databasePath} is empty or missing, but its data folder belongs to a sealed one: restore the` +
        ` database, or remove ${MARKER} and ${SIMULATED_KEY} from the folder to start anew without the old keys`,
    );
  }
}

async function openTee(dataDir: string, found: Found, random: RandomBytes): Promise<Tee> {
  const keyFile = join(dataDir, SIMULATED_KEY);
  if (found.database !== "absent" && !existsSync(keyFile)) {
    throw new StartRefusal(
      `The sealing key ${keyFile} is missing: put it back; without it the keys cannot be opened`,
    );
  }
  return await openSimulatedTee({ keyFile, random });
}

/**
 * Opens the TEE, the database and the vault of a configuration. With a wrong or missing sealing key, a foreign
 * database, or an empty one beside a known seal it throws `StartRefusal` before anything was written.
 */
export async function unseal(
  config: Pick<Config, "dataDir" | "databasePath">,
  { now, random }: { now: Instant; random: RandomBytes },
): Promise<Unsealed> {
  const { dataDir, databasePath } = config;
  if (databasePath === ":memory:") {
    return await openAll(databasePath, await openSimulatedTee({ keyFile: undefined, random }), {
      now,
      random,
    });
  }
  const found = await look(dataDir, databasePath);
  refuseForeign(found, databasePath);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const tee = await openTee(dataDir, found, random);
  const sealKeyId = await sealKeyIdOf(tee, primitives);
  if (typeof found.database === "object" && found.database.sealKeyId !== sealKeyId) {
    throw new StartRefusal(
      `The sealing key is not the one that sealed ${databasePath}: put the right ${SIMULATED_KEY} back`,
    );
  }
  const unsealed = await openAll(databasePath, tee, { now, random });
  await writeFile(join(dataDir, MARKER), sealKeyId + "\n", { mode: 0o600 });
  return unsealed;
}

async function openAll(
  databasePath: string,
  tee: Tee,
  { now, random }: { now: Instant; random: RandomBytes },
): Promise<Unsealed> {
  const db = await openDatabase(await openSqlite(databasePath));
  try {
    return { db, tee, vault: await openVault(db, { tee, primitives, random, now }) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
