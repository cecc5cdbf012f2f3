import { readFileSync, statSync } from "node:fs";
import { DatabaseError } from "../db/error.ts";
import type { PostgresAddress } from "../lib/postgres-address.ts";

/**
 * The password of an address: its own, or the first that fits in a password file (PostgreSQL, "The Password File"), which
 * nobody but its owner may read. Undefined where there is none: the server may ask for none.
 */
export function passwordOf(address: PostgresAddress): string | undefined {
  if (address.password !== undefined) return address.password.reveal();
  const { passwordFile } = address;
  if (passwordFile === undefined) return undefined;
  if ((statSync(passwordFile).mode & 0o077) !== 0) {
    throw new DatabaseError("login_refused", `Cannot use password file ${passwordFile}: others may read it`);
  }
  const lines = readFileSync(passwordFile, "utf8").split(/\r?\n/).filter((line) => !line.startsWith("#"));
  return lines.map(fieldsOf).find((fields) => isFor(fields, address))?.[4];
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
