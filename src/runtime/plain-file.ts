import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** An unreadable or unsuitable file. The message ends a sentence that names the file. */
export class PlainFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PlainFileError";
  }
}

const MEBIBYTE = 1024 * 1024;

/** Above the size of any certificate or password file. */
const MOST_BYTES = 8 * MEBIBYTE;

function sizeText(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes / 1024} KiB` : `${bytes / MEBIBYTE} MiB`;
}

/** Opening a pipe without a writer would otherwise block forever. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Like `readPlainBytes`, as text. */
export function readPlainFile(
  path: string,
  most: number = MOST_BYTES,
): { readonly text: string; readonly mode: number } {
  const { bytes, mode } = readPlainBytes(path, most);
  return { text: new TextDecoder().decode(bytes), mode };
}

/**
 * Reads a file's content and mode, following links. Throws `PlainFileError` if it is unreadable, longer than `most`
 * bytes, or a folder, pipe or device. Those may have no end, and another content at the next read.
 */
export function readPlainBytes(
  path: string,
  most: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly mode: number } {
  try {
    const file = openSync(path, FLAGS);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) throw new PlainFileError("it is not a regular file");
      // Reads at most the size found, even if another process appends meanwhile.
      if (stat.size > most) throw new PlainFileError(`it is longer than ${sizeText(most)}`);
      const bytes = new Uint8Array(stat.size);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(file, bytes, length, bytes.length - length, null);
      }
      return { bytes: bytes.slice(0, length), mode: stat.mode };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== "string" || !/^E[A-Z]+$/.test(code)) throw error;
    throw new PlainFileError(`it cannot be read (${code})`, { cause: error });
  }
}

/** The line before each certificate in PEM (RFC 7468 section 5). */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----\s*$/m;

/** Throws `PlainFileError` without a certificate: runtimes would silently trust nothing. Does not check them. */
export function readCertificates(path: string): string {
  const { text } = readPlainFile(path);
  if (CERTIFICATE.test(text)) return text;
  throw new PlainFileError("it contains no certificate in PEM");
}
