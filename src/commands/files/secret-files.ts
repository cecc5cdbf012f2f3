import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import process from "node:process";
import { ConfigError, type Environment } from "../../config/config.ts";
import { hasNul } from "../../lib/text.ts";

/** Settings that contain secrets. Each can be read from the file named by the variable with `_FILE` appended. */
export const SECRET_SETTINGS = [
  "ADMIN_API_KEY",
  "DATABASE_URL",
  "IDENTITY_PROVIDERS",
  "PGPASSWORD",
  "PUSH_PRIVATE_KEY",
  "SMTP_URL",
] as const;

const MOST_BYTES = 64 * 1024;
/** Mode bits of other users, and of the group for writing. */
const OTHERS = 0o027;

export type Note = (line: string) => void;

export const toStandardError: Note = (line) => void process.stderr.write(`holdfast: ${line}\n`);

/** Reads a file's mode and at most `most + 1` bytes, even of a device or pipe without an end. */
export function readStart(path: string, most: number): { readonly mode: number; readonly bytes: Uint8Array } {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(most + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return { mode: fstatSync(file).mode, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(file);
  }
}

/** Drops the final line break. A fault echoes nothing of the content. */
export function readSecret(variable: string, path: string, note: Note): { text: string } | { fault: string } {
  try {
    const { mode, bytes } = readStart(path, MOST_BYTES);
    if (bytes.length > MOST_BYTES) return { fault: `${variable} names a file that is too large` };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
    if (text === "") return { fault: `${variable} names a file that is empty` };
    if (hasNul(text)) return { fault: `${variable} names a file that has a NUL character` };
    if ((mode & OTHERS) !== 0) {
      note(`${variable}: other users may use the file (mode ${(mode & 0o777).toString(8)}); chmod 600`);
    }
    return { text };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const isFileFault = typeof code === "string" && /^E[A-Z]+$/.test(code);
    const why = isFileFault ? `cannot be read (${code})` : "is no text in UTF-8";
    return { fault: `${variable} names a file that ${why}` };
  }
}

/**
 * Returns the environment with the secrets of its `_FILE` variables. Throws `ConfigError` with all faults. Faults are
 * a secret set both ways, and a file that is unreadable, empty, over 64 KiB, not UTF-8 or contains a NUL. Only notes
 * that others may read a file, because platforms deliver secrets that way.
 */
export function withSecretFiles(environment: Environment, note: Note = toStandardError): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  const faults: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const variable = `${name}_FILE`;
    const path = environment[variable];
    delete read[variable];
    if (!path) continue;
    if (environment[name]) {
      faults.push(`${name} and ${variable} are both set: unset one`);
      continue;
    }
    const found = readSecret(variable, path, note);
    if ("fault" in found) faults.push(found.fault);
    else read[name] = found.text;
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return read;
}
