import { link, open, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Config, Secrets } from "../../config/config.ts";
import { newSecret, type RandomBytes } from "../../lib/id.ts";
import { IN_MEMORY } from "../../runtime/sqlite/open.ts";

const FILE = "admin-api-key";

/**
 * Returns the configured admin key. In development without one, creates a key at the first start and stores it in the
 * data folder with mode 0600. Processes that start concurrently all read the first one's key.
 */
export async function loadAdminKey(
  { dataDir, databasePath }: Pick<Config, "dataDir" | "databasePath">,
  { adminApiKey }: Pick<Secrets, "adminApiKey">,
  random: RandomBytes,
): Promise<string> {
  if (adminApiKey !== undefined) return adminApiKey;
  const fresh = newSecret(random);
  if (databasePath === IN_MEMORY) return fresh;
  const path = join(dataDir, FILE);
  const found = await readIfThere(path);
  if (found !== undefined) return found;
  await writeUnlessThere(path, fresh, random);
  return (await readFile(path, "utf8")).trim();
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a draft and links it, so that no process reads half a key or replaces an existing one. */
async function writeUnlessThere(path: string, key: string, random: RandomBytes): Promise<void> {
  const draft = `${path}.${random(8).toHex()}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(key + "\n");
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
}
