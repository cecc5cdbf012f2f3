import { sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { DatabaseError } from "../error.ts";
import type { Language, WholeTable } from "../dialect.ts";
import type { Db } from "../schema/schema.ts";

const PAGE = 1000;

/** An attacker who writes the file chooses the rowids, negative ones too. */
const FIRST_ROWID = -(2n ** 63n);
const LAST_ROWID = 2n ** 63n - 1n;

export const SQLITE: Language = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  hasRowNumbers: true,
  // SQLite would read a covering index instead, whose content can differ from the table's.
  tableItself: (table) => sql`${sql.table(table)} not indexed`,
  jsonNumber: (column, member) => sql<number>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${member}`)})`,
  jsonText: (column, member) => {
    const found = sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${member}`)})`;
    return sql<string | null>`iif(json_valid(${sql.ref(column)}), ${found}, null)`;
  },
  typed: (column) => sql<string>`typeof(${sql.ref(column)}) || ':' || hex(${sql.ref(column)})`,
  readTable,
};

type Paged = Readonly<Record<string, unknown>> & { readonly rowid: string };

async function* readTable(db: Db, what: WholeTable): AsyncGenerator<readonly Paged[]> {
  for (let next = FIRST_ROWID;;) {
    const page = await readPage(db, what, next);
    for (const { rowid } of page) {
      if (BigInt(rowid) < next) {
        throw new DatabaseError("damaged", `Cannot read rows of ${what.table}: their numbers do not grow`);
      }
      next = BigInt(rowid) + 1n;
    }
    yield page;
    if (page.length < PAGE || next > LAST_ROWID) return;
  }
}

async function readPage(db: Db, { table, columns }: WholeTable, from: bigint): Promise<readonly Paged[]> {
  const { rows } = await sql<Paged>`select cast(rowid as text) as rowid, ${
    sql.join(columns.map(readable))
  } from ${SQLITE.tableItself(table)}
    where rowid >= ${from} order by ${sql.table(table)}.rowid limit ${PAGE}`.execute(db);
  return rows;
}

/** Selects a column. Returns a text, which fits no MAC, in place of an integer that is not safe in JavaScript. */
function readable(name: string): ReturnType<typeof sql> {
  const column = sql.ref(name);
  return sql`iif(typeof(${column}) <> 'integer' or ${column} between ${
    sql.lit(Number.MIN_SAFE_INTEGER)
  } and ${sql.lit(Number.MAX_SAFE_INTEGER)}, ${column}, 'no safe integer') as ${column}`;
}
