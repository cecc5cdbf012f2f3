import type { Dialect, RawBuilder } from "kysely";
import type { Db } from "./schema/schema.ts";

/** What a column holds, by the schema. */
export type ColumnKind = "text" | "integer" | "blob";

/** Which table is read from end to end, and which of its columns. */
export interface WholeTable {
  readonly table: string;
  /** `mac` is the last of them. */
  readonly columns: readonly string[];
}

/**
 * The dialect of an engine: how kysely compiles for it, and each of the few things for which there are no words that
 * every engine understands. What differs between engines in the building of SQL stands in an object of this kind (the
 * room `language/`), and no query knows which of them it is given.
 */
export interface Language
  extends Pick<Dialect, "createAdapter" | "createQueryCompiler" | "createIntrospector"> {
  /** Whether a row is found by a number of its own (`rowid`), which an insertion may choose. */
  readonly hasRowNumbers: boolean;
  /** A table as it lies there, where the engine can be told not to answer for it out of an index. */
  tableItself(table: string): RawBuilder<unknown>;
  /** A member of a column with JSON in it that is a number: as it stands in the indexes of the migrations. */
  jsonNumber(column: string, member: string): RawBuilder<number>;
  /**
   * A value with its type, whatever it is: `text:`, `integer:`, `blob:` or `null:` and upper-case hexadecimal of its
   * bytes, for a number of its decimal digits. Every engine makes the same text of the same value.
   */
  typed(column: string, kind: ColumnKind): RawBuilder<string>;
  /**
   * Every row of a table wherever it stands, page by page, by no index's word. A row with a number that JavaScript does
   * not have comes in a way that no MAC fits. Throws `DatabaseError` `damaged` where the table has no end.
   */
  readTable(db: Db, what: WholeTable): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
}
