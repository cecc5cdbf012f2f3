import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, link, lstat, open, statfs, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { RandomBytes } from "../../lib/id.ts";
import { isConstant, TeeStartError } from "../hardware.ts";
import type { OwnKeyProvider } from "../tee.ts";

const KEY_LENGTH = 32;

/** The provider of a key in a file. The author of the file knows the key and is not identified. */
export const FILE_PROVIDER: OwnKeyProvider = { name: "file", id: "", verified: null };

/** File systems in memory: tmpfs and ramfs (Linux `magic.h`). */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

export type KeyFileFault =
  | "missing"
  | "not_a_file"
  | "cannot_be_opened"
  | "unknown_owner"
  | "foreign"
  | "open_to_others"
  | "no_key";

/** An unusable sealing key file. The message is for the operator and contains the path, never the content. */
export class KeyFileError extends TeeStartError {
  readonly fault: KeyFileFault;

  constructor(fault: KeyFileFault, path: string, reason: string, options?: ErrorOptions) {
    super("key_file", `Cannot use sealing key ${path}: ${reason}`, options);
    this.name = "KeyFileError";
    this.fault = fault;
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

async function statFile(path: string): Promise<BigIntStats> {
  try {
    return await lstat(path, { bigint: true });
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") throw new KeyFileError("missing", path, "no such file", { cause });
    throw new KeyFileError("cannot_be_opened", path, "it cannot be opened", { cause });
  }
}

/** Opens a regular file. Throws for a symbolic link. */
async function openFile(path: string): Promise<FileHandle> {
  const named = await statFile(path);
  if (named.isSymbolicLink()) throw new KeyFileError("not_a_file", path, "it is a symbolic link");
  if (!named.isFile()) throw new KeyFileError("not_a_file", path, "not a regular file");
  const file = await openNow(path);
  try {
    // Needed beside O_NOFOLLOW: a runtime with permissions resolves the path before opening it.
    const opened = await file.stat({ bigint: true });
    if (opened.dev !== named.dev || opened.ino !== named.ino) {
      throw new KeyFileError("not_a_file", path, "it was replaced while it was opened");
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openNow(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new KeyFileError("cannot_be_opened", path, "it cannot be opened", { cause });
  }
}

/** Returns undefined if the runtime denies it, as Deno does without `--allow-sys=uid`. */
function ownUser(): number | undefined {
  try {
    return process.geteuid?.();
  } catch {
    return undefined;
  }
}

async function checkFile(path: string, file: FileHandle): Promise<void> {
  const { uid, mode } = await file.stat();
  const own = ownUser();
  if (uid !== 0 && own === undefined) {
    const reason = "it does not belong to root, and Deno needs --allow-sys=uid to know this service's user";
    throw new KeyFileError("unknown_owner", path, reason);
  }
  if (uid !== 0 && uid !== own) {
    throw new KeyFileError("foreign", path, "it belongs neither to root nor to the service's user");
  }
  if ((mode & 0o077) !== 0) {
    throw new KeyFileError("open_to_others", path, "others may read or write it; chmod 600");
  }
}

function decodeKey(path: string, content: Uint8Array): Uint8Array {
  if (content.length === KEY_LENGTH) return content.slice();
  const text = new TextDecoder().decode(content);
  if (!/^[0-9a-fA-F]{64}\n?$/.test(text)) {
    throw new KeyFileError("no_key", path, "neither 32 bytes nor 64 hexadecimal digits");
  }
  return Uint8Array.fromHex(text.slice(0, 2 * KEY_LENGTH));
}

/**
 * Reads a sealing key: 32 bytes, or 64 hexadecimal digits with an optional newline. The file must be regular, not a
 * link, owned by root or this user, and closed to others. Throws `KeyFileError` otherwise, also for a constant key.
 * Does not check the folders above, and cannot check who created the key. The caller wipes it.
 */
export async function readKeyFile(path: string): Promise<Uint8Array> {
  return await withFile(await openFile(path), async (file) => {
    await checkFile(path, file);
    // Room for digits, newline and one more byte, which reveals a longer file.
    const buffer = new Uint8Array(2 * KEY_LENGTH + 2);
    try {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      const key = decodeKey(path, buffer.subarray(0, bytesRead));
      if (isConstant(key)) throw new KeyFileError("no_key", path, "all its bytes are the same");
      return key;
    } finally {
      buffer.fill(0);
    }
  });
}

/** Returns true if the file is in memory only. Returns false if the runtime does not tell. */
export async function isInMemory(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => undefined);
  return found !== undefined && IN_MEMORY.includes(found.type);
}

/** Links the draft to the path. Unlike rename, link never replaces a file. */
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
 * Creates a key file of random bytes with mode 0600 unless the path exists. The file appears complete and synced or
 * not at all: of concurrent processes one creates it, and the others read the same. The folder must exist.
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
