import { type CompiledQuery, sql } from "kysely";
import { DatabaseError } from "../db/error.ts";
import { languageOf, runCompiled } from "../db/port.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import { insertOne } from "./queries.ts";
import type { RawRow } from "./lookups.ts";

export interface CopiedTable {
  readonly name: keyof Tables & string;
  readonly columns: readonly string[];
}

/** Insertion order of the tables that others refer to. All other tables come last. */
export const RANKS: Readonly<Partial<Record<keyof Tables, number>>> = {
  account: 0,
  client: 0,
  passkey: 1,
  session: 2,
  webhook: 0,
  push_subscription: 1,
};
export const LAST_RANK = 3;

/** Rows per statement, to save round trips to a server. */
const ROWS_AT_ONCE = 100;

/** Lists the database's tables with their columns, in an order in which they can be filled. */
export async function listTables(db: Db): Promise<readonly CopiedTable[]> {
  const tables = await db.introspection.getTables();
  const rankOf = ({ name }: CopiedTable): number => RANKS[name] ?? LAST_RANK;
  return tables.map(({ name, columns }) => ({
    name: name as keyof Tables,
    columns: columns.map((column) => column.name),
  })).toSorted((one, other) => rankOf(one) - rankOf(other) || (one.name < other.name ? -1 : 1));
}

/**
 * Copies every row of the tables from one transaction into another, which may belong to another engine. Calls `onRows`
 * with the number of rows of each page. Does not verify what it reads: run `verifyRows` and `verifyAudit` on the copy.
 * Throws `DatabaseError` `damaged` for a row that the target tables do not accept.
 */
export async function copyTables(
  from: Db,
  to: Db,
  { tables, onRows }: { readonly tables: readonly CopiedTable[]; readonly onRows: (rows: number) => void },
): Promise<void> {
  for (const table of tables) {
    const insert = insertionInto(to, table);
    for await (const page of readTable(from, table)) {
      try {
        await insert(page);
      } catch (cause) {
        if (cause instanceof DatabaseError) throw cause;
        throw new DatabaseError(
          "damaged",
          `Cannot copy rows of ${table.name}: some are invalid`,
          {
            cause,
          },
        );
      }
      onRows(page.length);
    }
  }
}

/** Tables that can only be read by their primary key. */
const KEYED: Readonly<Partial<Record<keyof Tables, readonly string[]>>> = {
  dpop_proof: ["expires_at", "id"],
};
const PAGE = 1000;

function readTable(db: Db, table: CopiedTable): AsyncIterable<readonly RawRow[]> {
  const key = KEYED[table.name];
  if (key !== undefined) return readByKey(db, table, key);
  return languageOf(db).readTable(db, { table: table.name, columns: table.columns });
}

async function* readByKey(
  db: Db,
  { name, columns }: CopiedTable,
  key: readonly string[],
): AsyncGenerator<readonly RawRow[]> {
  const place = sql.join(key.map((column) => sql.ref(column)));
  let last: RawRow | undefined;
  for (;;) {
    let query = db.selectFrom(name).select(columns as never[]).limit(PAGE);
    for (const column of key) query = query.orderBy(column as never);
    if (last !== undefined) {
      query = query.where(sql<boolean>`(${place}) > (${sql.join(key.map((column) => last![column]))})`);
    }
    const page = await query.execute() as readonly RawRow[];
    yield page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

export async function areEmpty(db: Db, tables: readonly CopiedTable[]): Promise<boolean> {
  for (const { name } of tables) {
    const rows = await db.selectFrom(name).select(sql.lit(1).as("one")).limit(1).execute();
    if (rows.length > 0) return false;
  }
  return true;
}

type Insertion = (rows: readonly RawRow[]) => Promise<void>;

function insertionInto(to: Db, { name, columns }: CopiedTable): Insertion {
  // If a row's number follows from its id, `insertOne` computes it, one row at a time.
  if (languageOf(to).hasRowNumbers && Object.hasOwn(AUTHORITY, name)) {
    const insert = insertOne(name as AuthorityKind);
    return async (rows) => {
      for (const row of rows) await insert(to, row);
    };
  }
  const compiled = new Map<number, CompiledQuery>();
  return async (rows) => {
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const some = rows.slice(start, start + ROWS_AT_ONCE);
      let query = compiled.get(some.length);
      if (query === undefined) {
        compiled.set(some.length, query = compileInsertion(to, name, columns, some.length));
      }
      await runCompiled(to, query, some.flatMap((row) => columns.map((column) => row[column])));
    }
  };
}

/** Compiles an insertion. The parameters are the columns, row by row. */
function compileInsertion(
  db: Db,
  name: keyof Tables,
  columns: readonly string[],
  rows: number,
): CompiledQuery {
  // A placeholder that is compiled to a parameter.
  const row = Object.fromEntries(columns.map((column) => [column, ""]));
  return db.insertInto(name).values(Array.from({ length: rows }, () => row) as never).compile();
}
