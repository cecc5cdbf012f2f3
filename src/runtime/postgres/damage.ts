import { CompiledQuery } from "kysely";
import type { Job, Run } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";

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

/** Writes to the commit log, and to more pages than a table extends by at once. Nothing remains. */
const PROBES = [
  "select pg_logical_emit_message(true, 'holdfast', repeat('-', 8192))",
  "create temporary table holdfast_probe on commit drop as select repeat('-', 1000) from generate_series(1, 1000)",
].map((text) => CompiledQuery.raw(text));

/**
 * Throws if the server's disk is full. Does nothing for a role that may not create temporary tables: its next write
 * reports the error.
 */
export async function probeDisk(transaction: (job: Job<void>) => Promise<void>): Promise<void> {
  try {
    await transaction(async (inside) => {
      for (const probe of PROBES) await inside(probe);
    });
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === "forbidden")) throw error;
  }
}
