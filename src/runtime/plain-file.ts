import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A file that is not read. The message says why, for the end of a sentence that names it. */
export class PlainFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PlainFileError";
  }
}

const MEBIBYTE = 1024 * 1024;

/** More than any file of certificates or passwords has. */
const MOST_BYTES = 8 * MEBIBYTE;

/** A pipe that nobody writes to is opened at once, where it would otherwise be waited for without an end. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * A file's text and mode, also through a link. Throws `PlainFileError` for what cannot be read, is too long, or is a
 * folder, a pipe or a device: these may have no end, and have another content when they are read again.
 */
export function readPlainFile(
  path: string,
  most: number = MOST_BYTES,
): { readonly text: string; readonly mode: number } {
  try {
    const file = openSync(path, FLAGS);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) throw new PlainFileError("it is no plain file");
      // Read no further than it was long: whoever appends to it meanwhile is not followed.
      if (stat.size > most) throw new PlainFileError(`it is longer than ${most / MEBIBYTE} MiB`);
      const bytes = new Uint8Array(stat.size);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(file, bytes, length, bytes.length - length, null);
      }
      return { text: new TextDecoder().decode(bytes.subarray(0, length)), mode: stat.mode };
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

/**
 * The text of a plain file of authorities in PEM. Throws `PlainFileError` as `readPlainFile` does, and where there is no
 * certificate in it: a runtime takes such a file without a word and believes nobody by it. The certificates themselves
 * are not checked.
 */
export function readCertificates(path: string): string {
  const { text } = readPlainFile(path);
  if (CERTIFICATE.test(text)) return text;
  throw new PlainFileError("it holds no certificate in PEM");
}
