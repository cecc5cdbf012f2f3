import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SealKeyIdsLook } from "../../db/engine.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isInMemory, readDatabaseSealKeyIds } from "./database.ts";
import { replaceFile } from "../files/durable-file.ts";
import { SIMULATED_KEY, type TeeConfig } from "./tee.ts";
import { StartRefusal } from "../process/refusal.ts";

/** Records the data folder's sealing key id, so that an empty database beside it is not taken for a fresh start. */
const MARKER = "seal-key-id";

/** The settings of the data folder, the database and the TEE. */
export type StorageConfig = TeeConfig;

/** The data folder's marker, and the ids of the sealing keys that open the database. */
export interface FolderState {
  /** The sealing key id in the marker; undefined without a marker. */
  readonly markerKeyId: string | undefined;
  readonly database: SealKeyIdsLook;
}

/** Reads the data folder without changing it. Reads the marker first, because it is written after the database. */
export async function readFolderState(storage: StorageConfig): Promise<FolderState> {
  const markerPath = join(storage.dataDir, MARKER);
  const markerKeyId = existsSync(markerPath) ? readFileSync(markerPath, "utf8").trim() : undefined;
  return { markerKeyId, database: await readDatabaseSealKeyIds(storage) };
}

/**
 * Writes the marker unless it is already correct, so that a restart needs no disk space. Always written after the
 * database. Beside an empty database only its existence matters, and the next start corrects its content.
 */
export async function writeMarker(dataDir: string, sealKeyId: string, random: RandomBytes): Promise<void> {
  const path = join(dataDir, MARKER);
  const content = sealKeyId + "\n";
  if (existsSync(path) && readFileSync(path, "utf8") === content) return;
  await replaceFile(path, content, random(8).toHex());
}

/** Refuses a foreign database, and an empty one where a marker shows that there was one. */
export function refuseForeign({ markerKeyId, database }: FolderState, databasePath: string): void {
  if (database === "foreign") {
    throw new StartRefusal(`${databasePath} is not a Holdfast database; set DATABASE_URL to another one`);
  }
  if (database === "edited") {
    throw new StartRefusal(
      `The sealed seed of ${databasePath} names no sealing key: it was edited; restore a backup`,
    );
  }
  if (database === "absent" && markerKeyId !== undefined) {
    throw new StartRefusal(
      `The database ${databasePath} is empty or missing, but its data folder belongs to a sealed one: restore the` +
        ` database, or remove ${MARKER} and ${SIMULATED_KEY} from the folder to start again without the old keys`,
    );
  }
}

/** Refuses a data folder that no start could use, before anything is created in it. */
export async function refuseStart(storage: StorageConfig): Promise<void> {
  if (!isInMemory(storage)) refuseForeign(await readFolderState(storage), storage.databasePath);
}

/** Returns the ids of the sealing keys in the database's slots. Refuses if there is no sealed database. */
export async function getSealKeyIds(storage: StorageConfig): Promise<readonly string[]> {
  const { databasePath } = storage;
  if (isInMemory(storage)) {
    throw new StartRefusal("The database is in memory: set DATABASE_URL or DATA_DIR to the service's own");
  }
  const found = await readFolderState(storage);
  refuseForeign(found, databasePath);
  if (typeof found.database !== "object") {
    throw new StartRefusal(
      `There is no database ${databasePath}: set DATABASE_URL or DATA_DIR to the service's own`,
    );
  }
  return found.database.sealKeyIds;
}
