import type { Dialect, RawBuilder } from "kysely";
import type { Db } from "./schema/schema.ts";

export type ColumnKind = "text" | "integer" | "blob";

export interface WholeTable {
  readonly table: string;
  /** `mac` is the last of them. */
  readonly columns: readonly string[];
}

/** An engine's SQL dialect. All differences between engines in building SQL are here. */
export interface Language
  extends Pick<Dialect, "createAdapter" | "createQueryCompiler" | "createIntrospector"> {
  /** True if a row has a number of its own (`rowid`), which an insertion may choose. */
  readonly hasRowNumbers: boolean;
  /** Returns the table, marked so that the engine does not read it from an index where that can be prevented. */
  tableItself(table: string): RawBuilder<unknown>;
  /** Returns a numeric member of a JSON column, written exactly as in the indexes of the migrations. */
  jsonNumber(column: string, member: string): RawBuilder<number>;
  /**
   * Returns a text member of a column of JSON that the service formatted: an id, without an escaped character. Returns
   * null if the member is missing. Does not fail on other text in the column.
   */
  jsonText(column: string, member: string): RawBuilder<string | null>;
  /**
   * Returns a value with its type: `text:`, `integer:`, `blob:` or `null:`, then the upper-case hexadecimal of its
   * bytes. A number is encoded as its decimal digits. Equal values give equal text on every engine.
   */
  typed(column: string, kind: ColumnKind): RawBuilder<string>;
  /**
   * Returns an expression that fails its statement unless the SHA-256 of a text is `digest`. A commit that was sent
   * behind it then rolls back. Undefined if the engine answers each statement before the next one is sent.
   */
  requireDigest?(text: RawBuilder<unknown>, digest: unknown): RawBuilder<number>;
  /**
   * Returns a statement that writes as `sql` does, returns its rows, and fails unless it writes exactly one. With
   * the number of a parameter, that row must return it as its MAC. Undefined if the engine answers each statement
   * before the next one is sent.
   */
  requireOneRow?(sql: string, macParameter?: number): string;
  /**
   * Yields every row of a table in pages, without using an index. A row with a number outside JavaScript's safe range
   * is changed so that its MAC does not verify. Throws `DatabaseError` `damaged` if the table does not end.
   */
  readTable(db: Db, what: WholeTable): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
}
