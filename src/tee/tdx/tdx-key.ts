import { constants } from "node:fs";
import { open, statfs } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import process from "node:process";
import { isConstant, TeeStartError } from "../hardware.ts";

const KEY_LENGTH = 32;

/** File systems that live in memory: tmpfs and ramfs (Linux `magic.h`). */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

function refuse(path: string, reason: string, cause?: unknown): TeeStartError {
  const message = `Cannot use sealing key ${path}: ${reason}`;
  return new TeeStartError("key_file", message, { cause });
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") throw refuse(path, "no such file", cause);
    if (code === "ELOOP") throw refuse(path, "it is a symbolic link", cause);
    throw refuse(path, "it cannot be opened", cause);
  }
}

/** Whether the file is root's or this process's own. Where the runtime keeps its user secret, only root's counts. */
function isOwnerTrusted(uid: number): boolean {
  if (uid === 0) return true;
  try {
    return uid === process.geteuid?.();
  } catch {
    return false;
  }
}

async function checkFile(path: string, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) throw refuse(path, "not a regular file");
  if (!isOwnerTrusted(stat.uid)) throw refuse(path, "it belongs neither to root nor to the service's user");
  if ((stat.mode & 0o077) !== 0) throw refuse(path, "others may read or write it; chmod 600");
}

function decodeKey(path: string, content: Uint8Array): Uint8Array {
  if (content.length === KEY_LENGTH) return content.slice();
  const text = new TextDecoder().decode(content);
  if (!/^[0-9a-fA-F]{64}\n?$/.test(text)) throw refuse(path, "neither 32 bytes nor 64 hexadecimal digits");
  return Uint8Array.fromHex(text.slice(0, 2 * KEY_LENGTH));
}

/**
 * The sealing key of a file that somebody trusted put there: 32 bytes, or 64 hexadecimal digits with or without a
 * newline, in a regular file of root's or our own that nobody else may touch, no symbolic link, not all bytes the same.
 * Throws `TeeStartError` (`key_file`) otherwise, with the path and never the content. What the key is worth depends on
 * who put it there, which cannot be seen. The caller wipes it.
 */
export async function readSealingKey(path: string): Promise<Uint8Array> {
  const file = await openFile(path);
  // Room for the digits, their newline and one byte more, by which a longer file is known.
  const buffer = new Uint8Array(2 * KEY_LENGTH + 2);
  try {
    await checkFile(path, file);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const key = decodeKey(path, buffer.subarray(0, bytesRead));
    if (isConstant(key)) throw refuse(path, "all its bytes are the same");
    return key;
  } finally {
    buffer.fill(0);
    await file.close();
  }
}

/** Whether the file lies in memory alone; false too where the runtime does not tell. */
export async function isInMemory(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => undefined);
  return found !== undefined && IN_MEMORY.includes(found.type);
}
