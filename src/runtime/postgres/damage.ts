import { CompiledQuery } from "kysely";
import type { Run } from "../../db/engine.ts";

const REFERENCES =
  `select conname as name, conrelid::regclass::text as "table", confrelid::regclass::text as parent,
    (select string_agg(format('one.%I is not null', attname), ' and ') from unnest(conkey) as key
      join pg_attribute on attrelid = conrelid and attnum = key) as given,
    (select string_agg(format('one.%I = other.%I', here.attname, there.attname), ' and ')
      from unnest(conkey, confkey) as pair (key, other)
      join pg_attribute as here on here.attrelid = conrelid and here.attnum = pair.key
      join pg_attribute as there on there.attrelid = confrelid and there.attnum = pair.other) as same
  from pg_constraint where contype = 'f' and connamespace = to_regnamespace($1) order by 1`;

interface ForeignKey {
  readonly table: string;
  readonly parent: string;
  readonly given: string;
  readonly same: string;
}

/**
 * Finds rows that refer to missing rows. Reads all tables with references, so that a server with data checksums
 * detects damaged pages. Does not compare indexes with their tables: `pg_amcheck` does.
 */
export async function findPostgresDamage(run: Run, schema: string): Promise<string[]> {
  const { rows } = await run<ForeignKey>(CompiledQuery.raw(REFERENCES, [schema]));
  const found: string[] = [];
  for (const { table, parent, given, same } of rows) {
    const dangling = await run(CompiledQuery.raw(
      `select 1 from only ${table} as one where ${given}
        and not exists (select 1 from only ${parent} as other where ${same}) limit 1`,
    ));
    if (dangling.rows.length > 0) found.push(`a row of ${table} refers to no ${parent}`);
  }
  return found;
}
