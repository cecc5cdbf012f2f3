import expected from "../../generated/schema.json" with { type: "json" };
import { utf8 } from "../lib/bytes.ts";
import { memoize } from "../lib/memoize.ts";
import { sha256 } from "../lib/sha256.ts";
import { connectDatabase } from "./database.ts";
import type { Language } from "./dialect.ts";
import { SQLITE } from "./dialect/sqlite.ts";
import type { Engine, SchemaObject } from "./engine.ts";
import { migrate, MIGRATION_TABLE, type SchemaState } from "./migrate.ts";
import { MIGRATION_NAMES } from "./migrations/migrations.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** A table, index, trigger or view that is unexpected, missing, or differs from what the migrations create. */
export interface SchemaFault {
  readonly kind: "unknown" | "missing" | "altered";
  /** Any text in a manipulated file. Show it through `printable`. */
  readonly type: string;
  readonly name: string;
}

/** The result of a schema check. `faults` is empty if the database has a migration of a newer program. */
export interface SchemaVerdict extends SchemaState {
  /** Unexpected objects first, because other faults often follow from them. */
  readonly faults: readonly SchemaFault[];
}

export type Scratch = () => Promise<Engine>;

/**
 * Compares the database's schema with the one that its applied migrations create in an empty database. Only reads.
 * Does not check the content of indexes or tables.
 */
export async function checkSchema(db: Db, scratch: Scratch): Promise<SchemaVerdict> {
  const { objects, migrations } = await engineOf(db).readSchema(MIGRATION_TABLE);
  const applied = migrations.toSorted();
  const pending = MIGRATION_NAMES.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length > 0) return { applied, pending, unknown, faults: [] };
  const gaps = MIGRATION_NAMES.slice(0, applied.length).filter((name) => !applied.includes(name));
  if (gaps.length > 0) {
    return { applied, pending, unknown, faults: gaps.map((name) => missing({ type: "migration", name })) };
  }
  const { language } = engineOf(db);
  if (!STORED.has(language) && isStoredOnServer(objects, applied)) {
    return { applied, pending, unknown, faults: [] };
  }
  const faults = compare(objects, await goldenOf(language, scratch, applied));
  // Both migration tables are created before the first migration's transaction, each on its own.
  const isBegun = applied.length > 0;
  return { applied, pending, unknown, faults: faults.filter(({ kind }) => isBegun || kind !== "missing") };
}

/** Returns a hash of the objects in any order. */
function digestOf(objects: readonly SchemaObject[]): string {
  const lines = objects.map(({ type, name, table, sql }) => JSON.stringify([type, name, table, sql])).sort();
  return sha256(utf8(lines.join("\n"))).toHex();
}

/**
 * Returns true if the objects are those that all migrations create on PostgreSQL, as the version of the tests' server
 * prints them. On another version, or after a change, the schema is compared with a new one.
 */
function isStoredOnServer(objects: readonly SchemaObject[], applied: readonly string[]): boolean {
  return expected.migrations.join() === applied.join() && expected.postgres === digestOf(objects);
}

type Golden = Promise<readonly SchemaObject[]>;

/**
 * The schema that all migrations create, for the usual start: creating it again takes as long as the rest of the check
 * of a database. `npm run schema` writes it, and a test compares it.
 */
const STORED = new Map([[SQLITE, expected]]);

/**
 * Other expected schemas by dialect and migration names. A start checks twice, and the result is the same each time.
 */
const GOLDEN = new WeakMap<Language, Map<string, Golden>>();
/** A process checks its own version's schema and rarely another. */
const MOST_GOLDEN = 2;

async function goldenOf(language: Language, scratch: Scratch, applied: readonly string[]): Golden {
  const names = applied.join();
  const stored = STORED.get(language);
  if (stored?.migrations.join() === names) return stored.objects;
  let known = GOLDEN.get(language);
  if (known === undefined) GOLDEN.set(language, known = new Map());
  return await memoize(known, names, MOST_GOLDEN, () => makeGolden(scratch, applied));
}

async function makeGolden(scratch: Scratch, applied: readonly string[]): Golden {
  const db = connectDatabase(await scratch());
  try {
    await migrate(db, applied);
    return (await engineOf(db).readSchema(MIGRATION_TABLE)).objects;
  } finally {
    await db.destroy();
  }
}

/** Returns the hash of the schema that all migrations create on a PostgreSQL server. */
export async function readServerDigest(scratch: Scratch): Promise<string> {
  return digestOf(await makeGolden(scratch, MIGRATION_NAMES));
}

/** Returns the text of `generated/schema.json`, with the hash of the schema on a server. */
export async function formatExpectedSchema(scratch: Scratch, postgres: string): Promise<string> {
  const objects = await makeGolden(scratch, MIGRATION_NAMES);
  return JSON.stringify({ migrations: MIGRATION_NAMES, postgres, objects }, null, 2) + "\n";
}

function missing({ type, name }: Pick<SchemaObject, "type" | "name">): SchemaFault {
  return { kind: "missing", type, name };
}

function compare(found: readonly SchemaObject[], golden: readonly SchemaObject[]): readonly SchemaFault[] {
  const unknown: SchemaFault[] = [];
  const altered: SchemaFault[] = [];
  for (const row of found) {
    const expected = golden.find((one) => isNamesake(one, row));
    const { type, name } = row;
    if (expected === undefined) unknown.push({ kind: "unknown", type, name });
    else if (row.table !== expected.table || row.sql !== expected.sql) {
      altered.push({ kind: "altered", type, name });
    }
  }
  const lacking = golden.filter((row) => !found.some((one) => isNamesake(one, row)));
  return [...unknown, ...lacking.map(missing), ...altered];
}

/** Compares the type too: a trigger may have the name of a table. */
function isNamesake(one: SchemaObject, other: SchemaObject): boolean {
  return one.type === other.type && one.name === other.name;
}
