import { PostgresAdapter, PostgresQueryCompiler, sql } from "kysely";
import type { DatabaseIntrospector, Kysely, ReferenceNode, TableMetadata, TableNode } from "kysely";
import type { ColumnKind, Language, WholeTable } from "../dialect.ts";
import type { Db } from "../schema/schema.ts";

/** The schema with all tables of the service, and nothing else. */
export const SCHEMA = "holdfast";

/** Pages of a table that are read at once: half a megabyte. */
const STRETCH = 64;

/**
 * Creates the PostgreSQL dialect. Every table is qualified with its schema, so that a table of the same name elsewhere
 * cannot shadow it. Functions, operators and types resolve in `pg_catalog` alone, by the session's search path.
 */
export function createPostgresLanguage(schema: string = SCHEMA): Language {
  const tableItself: Language["tableItself"] = (table) => sql`only ${sql.table(`${schema}.${table}`)}`;
  return {
    createAdapter: () => new LockedAdapter(),
    createQueryCompiler: () => new QualifyingCompiler(schema),
    createIntrospector: (db) => createIntrospector(db, schema),
    hasRowNumbers: false,
    // `only` excludes tables that claim to inherit from it.
    tableItself,
    jsonNumber: (column, member) => sql<number>`((${sql.ref(column)})::jsonb ->> ${sql.lit(member)})::bigint`,
    jsonText: (column, member) =>
      sql<string | null>`substring(${sql.ref(column)} from ${sql.lit(`"${member}":"([^"]*)"`)})`,
    typed: (column, kind) => {
      const value = sql.ref(column);
      return sql<string>`case when ${value} is null then 'null:' else ${
        sql.lit(`${kind}:`)
      } || upper(encode(${BYTES[kind](value)}, 'hex')) end`;
    },
    requireDigest: (text, digest) =>
      sql<number>`1 / (case when sha256(convert_to(${text}, 'UTF8')) = ${digest} then 1 else 0 end)`,
    requireOneRow: (text, macParameter) =>
      `with written as (${text}${text.includes(" returning ") ? "" : " returning 1"})
        select written.*, 1 / (case when counted.rows = 1 then 1 else 0 end) as one
        from (select ${
        macParameter === undefined
          ? "count(*)"
          // A row with another MAC counts as two.
          : `sum(case when mac = $${macParameter} then 1 else 2 end)`
      } as rows from written) as counted left join written on true`,
    readTable: (db, what) => readTable(db, { ...what, schema }),
  };
}

type Value = ReturnType<typeof sql.ref>;

const BYTES: Readonly<Record<ColumnKind, (value: Value) => ReturnType<typeof sql>>> = {
  text: (value) => sql`convert_to(${value}, 'UTF8')`,
  integer: (value) => sql`convert_to(${value}::text, 'UTF8')`,
  blob: (value) => sql`${value}`,
};

/** An adapter without a migration lock: a migration has the whole database locked already. */
class LockedAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * A compiler that qualifies each table where it is read or written. A column is qualified only with the name or alias
 * of its table in the query. Does not support common table expressions (`with`), which no query uses.
 */
class QualifyingCompiler extends PostgresQueryCompiler {
  readonly #schema: string;

  constructor(schema: string) {
    super();
    this.#schema = schema;
  }

  protected override visitTable(node: TableNode): void {
    if (node.table.schema === undefined) this.append(`"${this.#schema}".`);
    super.visitTable(node);
  }

  protected override visitReference(node: ReferenceNode): void {
    if (node.table !== undefined) {
      this.visitNode(node.table.table.identifier);
      this.append(".");
    }
    this.visitNode(node.column);
  }
}

/** Creates an introspector that lists the names of tables only, which is all that migrations need. */
function createIntrospector<DB>(db: Kysely<DB>, schema: string): DatabaseIntrospector {
  async function getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ name: string; kind: string }>`select relname as name, relkind as kind
      from pg_catalog.pg_class where relnamespace = pg_catalog.to_regnamespace(${schema})
      and relkind in ('r', 'p', 'v', 'm', 'f')`.execute(db);
    return rows.map(({ name, kind }) => ({ name, schema, isView: kind === "v", columns: [] }));
  }
  return {
    getSchemas: () => Promise.resolve([{ name: schema }]),
    getTables,
    getMetadata: async () => ({ tables: await getTables() }),
  };
}

type Page = readonly Readonly<Record<string, unknown>>[];

/**
 * Reads a table in the order of its disk pages, so that no index is involved. A row that is written meanwhile moves,
 * and may be returned twice or not at all.
 */
async function* readTable(
  db: Db,
  { schema, table, columns }: WholeTable & { readonly schema: string },
): AsyncGenerator<Page> {
  const name = sql.table(`${schema}.${table}`);
  for (let block = 0; block < await countBlocks(db, `${schema}.${table}`); block += STRETCH) {
    const [from, to] = [block, block + STRETCH].map((at) => sql`${sql.lit(`(${at},0)`)}::tid`);
    const { rows } = await sql<Page[number]>`select ${sql.join(columns.map(numbered))}, ${
      sql.join(columns.map(isUnsafe), sql` or `)
    } as ${sql.ref(UNSAFE)} from only ${name} where ctid >= ${from} and ctid < ${to}`.execute(db);
    yield rows.map(({ [UNSAFE]: unsafe, ...row }) => unsafe === true ? { ...row, mac: null } : row);
  }
}

const UNSAFE = "has a number that is not safe";

async function countBlocks(db: Db, table: string): Promise<number> {
  const { rows: [size] } = await sql<{ blocks: number }>`select pg_relation_size(to_regclass(${table}))
    / current_setting('block_size')::bigint as blocks`.execute(db);
  return size!.blocks;
}

/** Returns a condition: true for a bigint outside JavaScript's safe range, whatever the declared type. */
function isUnsafe(name: string): ReturnType<typeof sql> {
  const column = sql.ref(name);
  return sql`case when ${column} is null or pg_typeof(${column}) <> 'bigint'::regtype then false
    else (${column}::text)::numeric not between ${sql.lit(Number.MIN_SAFE_INTEGER)} and ${
    sql.lit(Number.MAX_SAFE_INTEGER)
  } end`;
}

/** Selects a column, with null in place of an unsafe number. */
function numbered(name: string): ReturnType<typeof sql> {
  return sql`case when ${isUnsafe(name)} then null else ${sql.ref(name)} end as ${sql.ref(name)}`;
}
