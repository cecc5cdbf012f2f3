import { CompiledQuery } from "kysely";
import type { Job, Run } from "../../db/engine.ts";
import { tableChangeOf, toPostgres } from "../../db/dialect/postgres-migration.ts";

interface Reference {
  readonly referring: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Runs migrations, translating SQLite statements where the dialects differ. Creates the schema if it is missing, and
 * resolves names in it only. Foreign keys that referred to a replaced table refer to its successor.
 */
export async function runMigration<T>(run: Run, schema: string, job: Job<T>): Promise<T> {
  await makeSchema(run, schema);
  await run(CompiledQuery.raw(`set local search_path to ${schema}, pg_temp`));
  const dropped = new Map<string, readonly Reference[]>();

  async function runOne<R>(query: CompiledQuery) {
    if (query.query.kind !== "RawNode" || /^\s*(?:select|set)\b/i.test(query.sql)) return await run<R>(query);
    const change = tableChangeOf(query.sql);
    if (change?.kind === "dropped") {
      dropped.set(change.table, await findReferences(run, schema, change.table));
      return await run<R>(CompiledQuery.raw(`${query.sql} cascade`));
    }
    const [first, ...more] = toPostgres(query.sql, schema);
    let result = await run<R>(CompiledQuery.raw(first!, [...query.parameters]));
    for (const statement of more) result = await run<R>(CompiledQuery.raw(statement));
    for (
      const { referring, name, definition } of change === undefined ? [] : dropped.get(change.table) ?? []
    ) {
      await run(CompiledQuery.raw(`alter table ${referring} add constraint ${name} ${definition}`));
    }
    return result;
  }

  const value = await job(runOne);
  await run(CompiledQuery.raw("set local search_path to pg_catalog, pg_temp"));
  return value;
}

async function makeSchema(run: Run, schema: string): Promise<void> {
  if (schema === "pg_temp") return;
  const { rows } = await run(CompiledQuery.raw("select 1 from pg_namespace where nspname = $1", [schema]));
  // Checked first, because a role that may use the schema may lack the right to create one.
  if (rows.length === 0) await run(CompiledQuery.raw(`create schema ${schema}`));
}

async function findReferences(run: Run, schema: string, table: string): Promise<readonly Reference[]> {
  const { rows } = await run<Reference>(CompiledQuery.raw(
    `select referring.relname as referring, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_class as referring on referring.oid = conrelid
      where contype = 'f' and confrelid = to_regclass($1) and conrelid <> confrelid order by 1, 2`,
    [`${schema}.${table}`],
  ));
  return rows;
}
