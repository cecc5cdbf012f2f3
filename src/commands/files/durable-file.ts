import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes what a file's name leads to last: its folder's entries are on the disk when this resolves. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Writes a file's bytes to the disk. Not for a database that this process has open: closing would drop its locks. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a small file of mode 0600 whole, or leaves the old one: whatever the moment of a power cut. */
export async function replaceFile(path: string, content: string, suffix: string): Promise<void> {
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
