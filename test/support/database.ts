import { sql } from "kysely";
import { connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Engine } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite.ts";

/** What the migrations leave: the statements that make every table, index and trigger, and the rows of each table. */
interface Migrated {
  readonly statements: readonly string[];
  readonly rows: readonly (readonly [table: string, row: Readonly<Record<string, unknown>>])[];
}

/** Made once, because the migrations take most of the time of many a test. */
let migrated: Promise<Migrated> | undefined;

async function migrateOnce(): Promise<Migrated> {
  const db = await openDatabase(await openSqlite(IN_MEMORY));
  // Tables stand in the order of their making: before what refers to them. Rows come before triggers could refuse them.
  const { rows: made } = await sql<{ type: string; name: string; sql: string }>`
    select type, name, sql from sqlite_schema where sql is not null order by rowid`.execute(db);
  const tables = made.filter(({ type }) => type === "table").map(({ name }) => name);
  const rows = await Promise.all(tables.map(async (table) => {
    const found = await sql<Readonly<Record<string, unknown>>>`select * from ${sql.table(table)}`.execute(db);
    return found.rows.map((row) => [table, row] as const);
  }));
  await db.destroy();
  return { statements: made.map((row) => row.sql), rows: rows.flat() };
}

/**
 * A fresh, migrated database in memory on the runtime that runs the test. Nothing else sees it; `around` may stand before
 * its engine.
 */
export async function openTestDatabase(around = (engine: Engine): Engine => engine): Promise<Db> {
  const { statements, rows } = await (migrated ??= migrateOnce());
  const db = connectDatabase(around(await openSqlite(IN_MEMORY)));
  for (const statement of statements) await sql.raw(statement).execute(db);
  for (const [table, row] of rows) await db.insertInto(table as never).values(row as never).execute();
  await sql`pragma foreign_keys = on`.execute(db);
  return db;
}
