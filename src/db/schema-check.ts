import { sql } from "kysely";
import { closeDatabase, connectDatabase } from "./database.ts";
import type { Engine } from "./engine.ts";
import { migrate, MIGRATION_NAMES } from "./migrate.ts";
import type { Db } from "./schema.ts";

/** A table, index, trigger or view that should not be there, is not there, or is not as the migrations make it. */
export interface SchemaFault {
  readonly kind: "unknown" | "missing" | "altered";
  /** What it is called in the file, which may be anything: it is shown by `printable`. */
  readonly type: string;
  readonly name: string;
}

/** What a look at a database's schema finds. */
export interface SchemaVerdict {
  /** The migrations that it has had, by name. */
  readonly applied: readonly string[];
  /** Known to this program and not applied yet. */
  readonly pending: readonly string[];
  /** Applied by a newer program, so that nothing can be compared. */
  readonly unknown: readonly string[];
  readonly faults: readonly SchemaFault[];
}

/** Opens an empty database that nobody else sees. */
export type Scratch = () => Promise<Engine>;

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** Null for the indexes that SQLite makes by itself. */
  readonly sql: string | null;
}

const MIGRATION = "migration";

/**
 * Compares the whole schema of a database, on both sides, with the one that the migrations it has had make in an empty
 * one: that one is what this program was written for. Only reads. What it cannot see is what an index or a table holds.
 */
export async function checkSchema(db: Db, scratch: Scratch): Promise<SchemaVerdict> {
  const rows = await readSchemaRows(db);
  const applied = rows.filter(({ type }) => type === MIGRATION).map(({ name }) => name).sort();
  const found = rows.filter(({ type }) => type !== MIGRATION);
  const pending = MIGRATION_NAMES.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length > 0) return { applied, pending, unknown, faults: [] };
  const gaps = MIGRATION_NAMES.slice(0, applied.length).filter((name) => !applied.includes(name));
  if (gaps.length > 0) {
    return { applied, pending, unknown, faults: gaps.map((name) => missing({ type: MIGRATION, name })) };
  }
  const faults = compare(found, await makeGolden(scratch, applied));
  // The two tables that remember migrations come before the transaction of the first one, each by itself.
  const isBegun = applied.length > 0;
  return { applied, pending, unknown, faults: faults.filter(({ kind }) => isBegun || kind !== "missing") };
}

/** In one statement, so that another process that migrates meanwhile is seen before or after and not between. */
async function readSchemaRows(db: Db): Promise<readonly SchemaRow[]> {
  const schema = sql`select type, name, tbl_name as "table", sql from sqlite_master`;
  const { rows } = await sql<SchemaRow>`${schema}`.execute(db);
  // What has its name and is no table could answer anything, or never.
  if (!rows.some(({ type, name }) => type === "table" && name === "kysely_migration")) return rows;
  const migrations = sql`select ${
    sql.lit(MIGRATION)
  } as type, name, '' as "table", null as sql from kysely_migration`;
  return (await sql<SchemaRow>`${migrations} union all ${schema}`.execute(db)).rows;
}

async function makeGolden(scratch: Scratch, applied: readonly string[]): Promise<readonly SchemaRow[]> {
  const db = connectDatabase(await scratch());
  try {
    await migrate(db, applied);
    return (await readSchemaRows(db)).filter(({ type }) => type !== MIGRATION);
  } finally {
    await closeDatabase(db);
  }
}

function missing({ type, name }: Pick<SchemaRow, "type" | "name">): SchemaFault {
  return { kind: "missing", type, name };
}

function compare(found: readonly SchemaRow[], golden: readonly SchemaRow[]): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  for (const row of found) {
    const expected = golden.find((one) => isNamesake(one, row));
    const { type, name } = row;
    if (expected === undefined) faults.push({ kind: "unknown", type, name });
    else if (row.table !== expected.table || row.sql !== expected.sql) {
      faults.push({ kind: "altered", type, name });
    }
  }
  const lacking = golden.filter((row) => !found.some((one) => isNamesake(one, row)));
  return [...faults, ...lacking.map(missing)];
}

/** A trigger may have the name of a table. */
function isNamesake(one: SchemaRow, other: SchemaRow): boolean {
  return one.type === other.type && one.name === other.name;
}
