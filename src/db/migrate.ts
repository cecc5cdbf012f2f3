import { Migrator, sql } from "kysely";
import { printable } from "../lib/text.ts";
import { DatabaseError } from "./error.ts";
import { MIGRATION_NAMES, MIGRATIONS } from "./migrations/migrations.ts";
import { engineOf, forMigrator, inTransaction } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** A migration of the builds before the first release. Never use this name for another migration. */
const UNRELEASED = "0002_oauth";

export const UNRELEASED_SCHEMA =
  "a build before the first release made the database, which cannot be used; " +
  "start with an empty DATA_DIR and an empty database, and keep the old ones";

export function isUnreleased({ unknown }: Pick<SchemaState, "unknown">): boolean {
  return unknown.includes(UNRELEASED);
}

export const MIGRATION_TABLE = "kysely_migration";

/**
 * Applies all pending migrations in one transaction. A failure leaves no change, and if several processes start at
 * once, exactly one migrates. Throws `DatabaseError` `newer_schema` or `unreleased_schema`, without writing, if the
 * database has migrations that this program does not know. With `names` it applies only those, like an older version
 * of the program.
 */
export async function migrate(db: Db, names: readonly string[] = MIGRATION_NAMES): Promise<void> {
  const { applied } = await refuseUnknownSchema(db);
  // A migration ends with a check of all references, which takes half a minute over a million accounts.
  if (applied.length > 0 && names.every((name) => applied.includes(name))) return;
  await inTransaction(db, engineOf(db).migration, async (tx) => {
    // Another process may have migrated since the first check.
    await refuseUnknownSchema(tx);
    const migrations = Object.fromEntries(names.map((name) => [name, MIGRATIONS[name]!]));
    const provider = { getMigrations: () => Promise.resolve(migrations) };
    const migrator = new Migrator({ db: forMigrator(tx), provider, disableTransactions: true });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  });
}

export interface SchemaState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer program, or by a build before the first release. */
  readonly unknown: readonly string[];
}

/** Reads which migrations were applied. Does not check the tables themselves. */
export async function readSchema(db: Db): Promise<SchemaState> {
  const applied = await appliedMigrations(db);
  return {
    applied,
    pending: Object.keys(MIGRATIONS).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  };
}

async function appliedMigrations(db: Db): Promise<string[]> {
  // Outside a transaction the engine reads only the names, whereas kysely introspects every column of every table.
  if (!db.isTransaction) return (await engineOf(db).readMigrations(MIGRATION_TABLE)).toSorted();
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === MIGRATION_TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  return rows.map((row) => row.name).sort();
}

async function refuseUnknownSchema(db: Db): Promise<SchemaState> {
  const state = await readSchema(db);
  const { unknown } = state;
  if (isUnreleased(state)) {
    throw new DatabaseError("unreleased_schema", `Cannot open database: ${UNRELEASED_SCHEMA}`);
  }
  if (unknown.length > 0) {
    throw new DatabaseError(
      "newer_schema",
      `Cannot open database: it was written by a newer version (migration ${
        printable(unknown.at(-1)!)
      } is unknown here)`,
    );
  }
  return state;
}

/**
 * Throws `DatabaseError` `newer_schema`, `unreleased_schema` or `older_schema` unless the schema is this program's.
 * Writes nothing. For callers that must not migrate.
 */
export async function requireCurrentSchema(db: Db): Promise<void> {
  const { pending } = await refuseUnknownSchema(db);
  if (pending.length > 0) {
    throw new DatabaseError(
      "older_schema",
      `Cannot use database: migration ${pending[0]} is missing; start the service of this version once`,
    );
  }
}
