import { constants } from "node:fs";
import { link, open, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { RandomBytes } from "../../lib/id.ts";

const KEY_LENGTH = 32;

/** What is wrong with a sealing key's file. */
export type KeyFileFault = "missing" | "not_a_file" | "open_to_others" | "wrong_size";

/** The file of a sealing key cannot be used. The message is for the operator and names the path, never the content. */
export class KeyFileError extends Error {
  readonly code: KeyFileFault;

  constructor(code: KeyFileFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "KeyFileError";
    this.code = code;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

async function withFile<T>(file: FileHandle, job: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await job(file);
  } finally {
    await file.close();
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT") {
      throw new KeyFileError("missing", `Cannot read sealing key ${path}: no such file`, { cause });
    }
    if (code === "ELOOP") {
      throw new KeyFileError("not_a_file", `Cannot read sealing key ${path}: it is a symbolic link`, {
        cause,
      });
    }
    throw cause;
  }
}

async function checkFile(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) {
    throw new KeyFileError("not_a_file", `Cannot read sealing key ${path}: not a regular file`);
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new KeyFileError(
      "open_to_others",
      `Cannot read sealing key ${path}: others may read or write it; chmod 600`,
    );
  }
  if (stat.size !== KEY_LENGTH) {
    throw new KeyFileError("wrong_size", `Cannot read sealing key ${path}: not ${KEY_LENGTH} bytes`);
  }
}

/**
 * The 32 bytes of a key file: a regular file, no symbolic link, that its owner alone may touch; otherwise throws
 * `KeyFileError`. Does not check who the owner is, nor that the bytes are random. The caller wipes them.
 */
export async function readKeyFile(path: string): Promise<Uint8Array> {
  return await withFile(await openToRead(path), async (file) => {
    await checkFile(path, file);
    // Room for one byte more, so that a file that grew since `stat` is seen.
    const buffer = new Uint8Array(KEY_LENGTH + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead !== KEY_LENGTH) {
      throw new KeyFileError("wrong_size", `Cannot read sealing key ${path}: not ${KEY_LENGTH} bytes`);
    }
    const key = buffer.slice(0, KEY_LENGTH);
    buffer.fill(0);
    return key;
  });
}

/** Unlike rename, link never replaces what is there. */
async function linkUnlessPresent(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  await withFile(await open(path, constants.O_RDONLY), (folder) => folder.sync());
}

/**
 * Makes a key file of random bytes with mode 0600 unless something has its name already. It appears whole and on disk
 * or not at all, so of several starters one makes it and the others read the same. The folder must exist.
 */
export async function makeKeyFile(path: string, random: RandomBytes): Promise<void> {
  const draft = `${path}.${random(8).toHex()}.tmp`;
  const key = random(KEY_LENGTH);
  try {
    await withFile(await open(draft, "wx", 0o600), async (file) => {
      await file.writeFile(key);
      await file.sync();
    });
    await linkUnlessPresent(draft, path);
  } finally {
    key.fill(0);
    await unlink(draft).catch(() => undefined);
  }
  await syncFolder(dirname(path));
}
