import { CompiledQuery } from "kysely";
import type { Run, SchemaObject, StoredSchema } from "../../db/engine.ts";

const OBJECTS = `select type, name, tbl_name as "table", sql from sqlite_master`;
const READ_OBJECTS = CompiledQuery.raw(OBJECTS);
/** Not a type of SQLite's schema rows. */
const MIGRATION = "migration";

/** Reads all in one statement, so that a concurrent migration is seen entirely or not at all. */
export async function readSqliteSchema(run: Run, migrations: string): Promise<StoredSchema> {
  const objects = (await run<SchemaObject>(READ_OBJECTS)).rows;
  // Another kind of object with that name could return anything, or never end.
  const isNoted = objects.some(({ type, name }) => type === "table" && name === migrations);
  if (!isNoted) return { objects, migrations: [] };
  const noted = `select '${MIGRATION}' as type, name, '' as "table", null as sql from ${migrations}`;
  const { rows } = await run<SchemaObject>(CompiledQuery.raw(`${noted} union all ${OBJECTS}`));
  return {
    objects: rows.filter(({ type }) => type !== MIGRATION),
    migrations: rows.filter(({ type }) => type === MIGRATION).map(({ name }) => name),
  };
}
