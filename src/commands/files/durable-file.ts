import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/** Syncs the folder of a file, so that its entries are on the disk. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Syncs a file. Must not be used for a database that this process has open: closing would drop its locks. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a small file of mode 0600 atomically: after a power failure either version is whole. */
export async function replaceFile(path: string, content: string | Uint8Array, suffix: string): Promise<void> {
  const draft = `${path}.${suffix}.tmp`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await syncFolderOf(path);
}
