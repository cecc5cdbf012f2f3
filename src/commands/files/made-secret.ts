import { link, open, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { IN_MEMORY } from "../../runtime/sqlite/open.ts";

/**
 * Returns the secret in a file of the data folder. At the first start makes it, and stores it with mode 0600. Processes
 * that start concurrently all read the first one's. With a database in memory, stores nothing.
 */
export async function loadMadeSecret(
  { dataDir, databasePath }: Pick<Config, "dataDir" | "databasePath">,
  name: string,
  make: () => string | Promise<string>,
  random: RandomBytes,
): Promise<string> {
  if (databasePath === IN_MEMORY) return await make();
  const path = join(dataDir, name);
  const found = await readIfThere(path);
  if (found !== undefined) return found;
  await writeUnlessThere(path, await make(), random);
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

/** Writes a draft and links it, so that no process reads half a secret or replaces an existing one. */
async function writeUnlessThere(path: string, secret: string, random: RandomBytes): Promise<void> {
  const draft = `${path}.${random(8).toHex()}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(secret + "\n");
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
