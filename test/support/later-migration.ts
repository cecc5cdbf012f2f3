import type { Migration } from "kysely";
import { sql } from "kysely";
import { MIGRATION_NAMES, MIGRATIONS } from "../../src/db/migrations/migrations.ts";

/** The name of the migration that `addMigration` adds. It creates a table `later`. */
export const LATER = `${String(MIGRATION_NAMES.length + 1).padStart(4, "0")}_later`;

/** Adds a migration to the program's until it is disposed. A database made before then has an older version. */
export function addMigration(): Disposable {
  const migrations = MIGRATIONS as Record<string, Migration>;
  const names = MIGRATION_NAMES as string[];
  migrations[LATER] = {
    up: async (db) => void await sql`create table later (id integer primary key) strict`.execute(db),
  };
  names.push(LATER);
  return {
    [Symbol.dispose]() {
      delete migrations[LATER];
      names.pop();
    },
  };
}
