import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import process from "node:process";
import { ConfigError } from "../../config/config.ts";
import type { Environment } from "../../config/config.ts";
import { hasNul } from "../../lib/text.ts";

/** Every setting that is a secret or may hold one. Each can be read from a file, which its name with `_FILE` names. */
export const SECRET_SETTINGS = [
  "ADMIN_API_KEY",
  "DATABASE_URL",
  "IDENTITY_PROVIDERS",
  "PGPASSWORD",
  "SMTP_URL",
] as const;

const MOST_BYTES = 64 * 1024;
/** Anybody but the owner and the group, and the group where it may write. */
const OTHERS = 0o027;

/** Writes a line for whoever started the program. */
export type Note = (line: string) => void;

export const toStandardError: Note = (line) => void process.stderr.write(`holdfast: ${line}\n`);

/** A file's mode and first bytes, one more than there may be: whatever it is, a device or a pipe, it is read no further. */
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

/** The text of a secret's file without the line break at its end; or a fault, which echoes none of it. */
export function readSecret(variable: string, path: string, note: Note): { text: string } | { fault: string } {
  try {
    const { mode, bytes } = readStart(path, MOST_BYTES);
    if (bytes.length > MOST_BYTES) return { fault: `${variable} names a file that is too large` };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
    if (text === "") return { fault: `${variable} names a file that is empty` };
    if (hasNul(text)) return { fault: `${variable} names a file that has a NUL character` };
    if ((mode & OTHERS) !== 0) {
      note(`${variable}: others than its owner may use the file (mode ${(mode & 0o777).toString(8)})`);
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
 * The environment with the secrets that its `_FILE` variables name. Throws `ConfigError` with every fault: one that is
 * set both ways, and a file that cannot be read, is empty, larger than 64 KiB or no text, or has a NUL. That others may
 * read a file is noted and no fault: platforms hand secrets out so.
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
