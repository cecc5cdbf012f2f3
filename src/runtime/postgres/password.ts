import { DatabaseError } from "../../db/error.ts";
import type { PostgresAddress } from "../../lib/postgres-address.ts";
import { PlainFileError, readPlainFile } from "../plain-file.ts";

/**
 * The password of an address: its own, or the first that fits in a password file (PostgreSQL, "The Password File"), which
 * nobody but its owner may read. Undefined where there is none: the server may ask for none. Throws `DatabaseError`
 * `login_refused` for a file that cannot be read, or that others may read.
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

/** What a reader finds in a plain file that a connection needs. Throws `DatabaseError` `login_refused`, which names it. */
export function readNamed<T>(what: string, file: string, read: (path: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    if (!(error instanceof PlainFileError)) throw error;
    const message = `Cannot use ${what} ${file}: ${error.message}`;
    throw new DatabaseError("login_refused", message, { cause: error });
  }
}

/** Fields between colons; a backslash takes what follows as it is. */
function fieldsOf(line: string): readonly string[] {
  const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? [];
  return fields.map((field) => field.replace(/:$/, "").replace(/\\(.)/g, "$1"));
}

function isFor(fields: readonly string[], { host, port, database, user }: PostgresAddress): boolean {
  const asked = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  return asked.every((value, index) => fields[index] === "*" || fields[index] === value);
}
