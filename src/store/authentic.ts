import { DatabaseError } from "../db/error.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../vault/authority.ts";
import { spentSequenceOf } from "./spent-rows.ts";
import type { RawRow } from "./lookups.ts";

declare const AUTHENTIC: unique symbol;

/** A row that the service wrote and that matches the lookup. Code that grants based on a row must require this type. */
export type Authentic<K extends AuthorityKind> = Readonly<Tables[K]> & { readonly [AUTHENTIC]: K };

export function wrongRow(kind: AuthorityKind, fault: string): DatabaseError {
  return new DatabaseError("wrong_row", `Cannot use row of ${kind}: ${fault}`);
}

export function notWritten(kind: AuthorityKind, fault: string): DatabaseError {
  return new DatabaseError("not_written", `Cannot rely on write of ${kind}: ${fault}`);
}

/** Thrown if a row was spent after the query began. */
export const RETRY = Symbol("a row was spent after the query began: ask again");

/**
 * Returns the row if it is authentic and not spent. Otherwise reports it and returns undefined. Throws `wrong_row` if
 * the columns are not those of the kind. Throws `RETRY` if the row was spent after the query began; `spentCountBefore`
 * is the value of `countSpent` at that time.
 */
export function authenticRow(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  row: RawRow,
  spentCountBefore: number,
): RawRow | undefined {
  const ours = ownRow(authority, kind, row);
  const since = ours && spentSequenceOf(db, kind, ours);
  if (since === undefined) return ours;
  if (since >= spentCountBefore) throw RETRY;
  authority.reportRejected(kind, row as unknown as SealedRow<AuthorityKind>);
  return undefined;
}

/** Returns the row if the service wrote it. Otherwise reports it and returns undefined. Throws `wrong_row` as above. */
export function ownRow(authority: RowAuthority, kind: AuthorityKind, row: RawRow): RawRow | undefined {
  try {
    if (!(row["mac"] instanceof Uint8Array)) throw new TypeError("Cannot check row: it has no MAC");
    return authority.verifyRow(kind, row as unknown as SealedRow<AuthorityKind>) as RawRow | undefined;
  } catch (error) {
    if (error instanceof TypeError) throw wrongRow(kind, "it does not have the columns of its kind");
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
      throw wrongRow(kind, `the database returned another row than requested (${column})`);
    }
  }
}
