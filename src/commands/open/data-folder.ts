import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SealKeyIdLook } from "../../db/engine.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isInMemory, lookAtSeal } from "./database.ts";
import { replaceFile } from "../files/durable-file.ts";
import { SIMULATED_KEY, type TeeConfig } from "./tee.ts";
import { StartRefusal } from "../process/refusal.ts";

/** Records the data folder's sealing key id, so that an empty database beside it is not taken for a fresh start. */
const MARKER = "seal-key-id";

export type Places = TeeConfig;

export interface Found {
  /** The sealing key id in the marker; undefined without a marker. */
  readonly marked: string | undefined;
  readonly database: SealKeyIdLook;
}

/** Reads the data folder without changing it. Reads the marker first, because it is written after the database. */
export async function look(places: Places): Promise<Found> {
  const markerPath = join(places.dataDir, MARKER);
  const marked = existsSync(markerPath) ? readFileSync(markerPath, "utf8").trim() : undefined;
  return { marked, database: await lookAtSeal(places) };
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
export function refuseForeign({ marked, database }: Found, databasePath: string): void {
  if (database === "foreign") {
    throw new StartRefusal(`${databasePath} is not a Holdfast database; set DATABASE_URL to another one`);
  }
  if (database === "edited") {
    throw new StartRefusal(
      `The sealed seed of ${databasePath} names no sealing key: it was edited; restore a backup`,
    );
  }
  if (database === "absent" && marked !== undefined) {
    throw new StartRefusal(
      `The database ${databasePath} is empty or missing, but its data folder belongs to a sealed one: restore the` +
        ` database, or remove ${MARKER} and ${SIMULATED_KEY} from the folder to start again without the old keys`,
    );
  }
}

/** Refuses a data folder that no start could use, before anything is created in it. */
export async function refuseStart(places: Places): Promise<void> {
  if (!isInMemory(places)) refuseForeign(await look(places), places.databasePath);
}

/** Returns the id of the database's sealing key. Refuses if there is no sealed database. */
export async function getSealKeyId(places: Places): Promise<string> {
  const { databasePath } = places;
  if (isInMemory(places)) {
    throw new StartRefusal("The database is in memory: set DATABASE_URL or DATA_DIR to the service's own");
  }
  const found = await look(places);
  refuseForeign(found, databasePath);
  if (typeof found.database !== "object") {
    throw new StartRefusal(
      `There is no database ${databasePath}: set DATABASE_URL or DATA_DIR to the service's own`,
    );
  }
  return found.database.sealKeyId;
}
