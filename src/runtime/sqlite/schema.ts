import { CompiledQuery } from "kysely";
import type { Run, SchemaObject, StoredSchema } from "../../db/engine.ts";

const OBJECTS = `select type, name, tbl_name as "table", sql from sqlite_master`;
const READ_OBJECTS = CompiledQuery.raw(OBJECTS);
/** What no row of a schema can be: SQLite calls none of its things so. */
const MIGRATION = "migration";

/**
 * The whole schema, and the migrations that are noted, in one statement: another process that migrates meanwhile is
 * seen before or after, and not between.
 */
export async function readSqliteSchema(run: Run, migrations: string): Promise<StoredSchema> {
  const objects = (await run<SchemaObject>(READ_OBJECTS)).rows;
  // What has its name and is no table could answer anything, or never.
  const isNoted = objects.some(({ type, name }) => type === "table" && name === migrations);
  if (!isNoted) return { objects, migrations: [] };
  const noted = `select '${MIGRATION}' as type, name, '' as "table", null as sql from ${migrations}`;
  const { rows } = await run<SchemaObject>(CompiledQuery.raw(`${noted} union all ${OBJECTS}`));
  return {
    objects: rows.filter(({ type }) => type !== MIGRATION),
    migrations: rows.filter(({ type }) => type === MIGRATION).map(({ name }) => name),
  };
}
