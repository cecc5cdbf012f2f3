import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SealKeyIdLook } from "../../db/engine.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isInMemory, lookAtSeal } from "./database.ts";
import { replaceFile } from "../files/durable-file.ts";
import { SIMULATED_KEY } from "./tee.ts";
import type { TeeConfig } from "./tee.ts";
import { StartRefusal } from "../process/refusal.ts";

/** Remembers which seal the data folder belongs to, so that an empty database beside it is not a fresh start. */
const MARKER = "seal-key-id";

/** The part of the configuration that says where everything lies. */
export type Places = TeeConfig;

/** What lies in the data folder. */
export interface Found {
  /** The seal the marker names; undefined when there is no marker. */
  readonly marked: string | undefined;
  readonly database: SealKeyIdLook;
}

/** Looks at the data folder without changing a byte. The marker is read first: it is written after the database. */
export async function look(places: Places): Promise<Found> {
  const markerPath = join(places.dataDir, MARKER);
  const marked = existsSync(markerPath) ? readFileSync(markerPath, "utf8").trim() : undefined;
  return { marked, database: await lookAtSeal(places) };
}

/**
 * Notes that the data folder belongs to a seal, where that does not stand there yet: a start needs no space on the disk
 * then. It is always written after the database: what counts beside an empty
 * database is only that there is a marker, and the next start puts its content right.
 */
export async function writeMarker(dataDir: string, sealKeyId: string, random: RandomBytes): Promise<void> {
  const path = join(dataDir, MARKER);
  const content = sealKeyId + "\n";
  if (existsSync(path) && readFileSync(path, "utf8") === content) return;
  await replaceFile(path, content, random(8).toHex());
}

/** Refuses what is no database of this service, and an empty one where there was one. */
export function refuseForeign({ marked, database }: Found, databasePath: string): void {
  if (database === "foreign") {
    throw new StartRefusal(`${databasePath} is not a Holdfast database; set DATABASE_URL to another one`);
  }
  if (database === "edited") {
    throw new StartRefusal(
      `The sealed seed of ${databasePath} names no sealing key: somebody edited it; restore a backup`,
    );
  }
  if (database === "absent" && marked !== undefined) {
    throw new StartRefusal(
      `The database ${databasePath} is empty or missing, but its data folder belongs to a sealed one: restore the` +
        ` database, or remove ${MARKER} and ${SIMULATED_KEY} from the folder to start anew without the old keys`,
    );
  }
}

/** Refuses what no start could go over, before anything is made beside it. */
export async function refuseStart(places: Places): Promise<void> {
  if (!isInMemory(places)) refuseForeign(await look(places), places.databasePath);
}

/** The id of the key that the database was sealed under. Refuses when there is no sealed database. */
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
