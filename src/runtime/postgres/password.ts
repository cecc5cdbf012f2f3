import { DatabaseError } from "../../db/error.ts";
import type { PostgresAddress } from "../../lib/postgres-address.ts";
import { PlainFileError, readPlainFile } from "../plain-file.ts";

/**
 * Returns the password of an address: its own, or the first match in a password file (PostgreSQL, "The Password
 * File"). Returns undefined if there is none: the server may require none. Throws `DatabaseError` `login_refused` if
 * the file is unreadable, or readable by others than its owner.
 */
export function passwordOf(address: PostgresAddress): string | undefined {
  if (address.password !== undefined) return address.password.reveal();
  const { passwordFile } = address;
  if (passwordFile === undefined) return undefined;
  const lines = readOwn(passwordFile).split(/\r?\n/).filter((line) => !line.startsWith("#"));
  return lines.map(fieldsOf).find((fields) => isFor(fields, address))?.[4];
}

function readOwn(file: string): string {
  const { text, mode } = readNamed("password file", file, readPlainFile);
  if ((mode & 0o077) === 0) return text;
  throw new DatabaseError("login_refused", `Cannot use password file ${file}: others may read it`);
}

/** Reads a file that a connection needs. Throws `DatabaseError` `login_refused` with the file's name. */
export function readNamed<T>(what: string, file: string, read: (path: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    if (!(error instanceof PlainFileError)) throw error;
    const message = `Cannot use ${what} ${file}: ${error.message}`;
    throw new DatabaseError("login_refused", message, { cause: error });
  }
}

function fieldsOf(line: string): readonly string[] {
  const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? [];
  return fields.map((field) => field.replace(/:$/, "").replace(/\\(.)/g, "$1"));
}

function isFor(fields: readonly string[], { host, port, database, user }: PostgresAddress): boolean {
  const pgpassEntry = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  return pgpassEntry.every((value, index) => fields[index] === "*" || fields[index] === value);
}
