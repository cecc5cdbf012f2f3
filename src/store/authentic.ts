import { DatabaseError } from "../db/error.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../vault/authority.ts";
import { overSince } from "./spent-rows.ts";
import type { RawRow } from "./lookups.ts";

declare const AUTHENTIC: unique symbol;

/**
 * A row that the service wrote, and the very one that was asked for. Only the store makes them: whatever takes a row
 * that grants something takes it as this.
 */
export type Authentic<K extends AuthorityKind> = Readonly<Tables[K]> & { readonly [AUTHENTIC]: K };

/** The database answered a question with the answer to another, or did something else than it was told. */
export function wrongRow(kind: AuthorityKind, fault: string): DatabaseError {
  return new DatabaseError("wrong_row", `Cannot use row of ${kind}: ${fault}`);
}

/** The database did not do what it was told. */
export function notWritten(kind: AuthorityKind, fault: string): DatabaseError {
  return new DatabaseError("not_written", `Cannot rely on write of ${kind}: ${fault}`);
}

/** Thrown where a row is over only since the question was asked. */
export const ASK_AGAIN = Symbol("a row is over since it was asked for: ask again");

/**
 * The row, where the service wrote it and it is not over; one that it did not write, or that was put back, is reported,
 * and undefined: it counts as absent. Throws `wrong_row` for what is no row of this kind at all, and `ASK_AGAIN` for one
 * that is over only since the question was asked, when `overThen` were.
 */
export function authenticRow(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  row: RawRow,
  overThen: number,
): RawRow | undefined {
  const ours = ownRow(authority, kind, row);
  const since = ours && overSince(db, kind, ours);
  if (since === undefined) return ours;
  if (since >= overThen) throw ASK_AGAIN;
  authority.reject(kind, row as unknown as SealedRow<AuthorityKind>);
  return undefined;
}

function ownRow(authority: RowAuthority, kind: AuthorityKind, row: RawRow): RawRow | undefined {
  try {
    if (!(row["mac"] instanceof Uint8Array)) throw new TypeError("Cannot check row: it has no MAC");
    return authority.proveRow(kind, row as unknown as SealedRow<AuthorityKind>) as RawRow | undefined;
  } catch (error) {
    if (error instanceof TypeError) throw wrongRow(kind, "it has not the columns of its kind");
    throw error;
  }
}

/** Throws `wrong_row` unless the row has these values in these columns. */
export function requireValues(
  kind: AuthorityKind,
  row: RawRow,
  { columns, values }: { readonly columns: readonly string[]; readonly values: RawRow },
): void {
  for (const column of columns) {
    if (!sameValue(row[column], values[column])) {
      throw wrongRow(kind, `the database answered with another than was asked for (${column})`);
    }
  }
}
