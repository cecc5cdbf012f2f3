import { recall } from "../lib/memoize.ts";
import { connectDatabase } from "./database.ts";
import type { Engine, SchemaObject } from "./engine.ts";
import { migrate, MIGRATION_NAMES, MIGRATION_TABLE } from "./migrate.ts";
import type { SchemaState } from "./migrate.ts";
import { engineOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** A table, index, trigger or view that should not be there, is not there, or is not as the migrations make it. */
export interface SchemaFault {
  readonly kind: "unknown" | "missing" | "altered";
  /** What it is called in the file, which may be anything: it is shown by `printable`. */
  readonly type: string;
  readonly name: string;
}

/** What a look at a database's schema finds. Beside a migration of a newer program nothing can be compared. */
export interface SchemaVerdict extends SchemaState {
  /** First what should not be there: the rest often follows from it. */
  readonly faults: readonly SchemaFault[];
}

/** Opens an empty database that nobody else sees. */
export type Scratch = () => Promise<Engine>;

/**
 * Compares the whole schema of a database, on both sides, with the one that the migrations it has had make in an empty
 * one: that one is what this program was written for. Only reads. What it cannot see is what an index or a table holds.
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
  const faults = compare(objects, await goldenOf(scratch, applied));
  // The two tables that remember migrations come before the transaction of the first one, each by itself.
  const isBegun = applied.length > 0;
  return { applied, pending, unknown, faults: faults.filter(({ kind }) => isBegun || kind !== "missing") };
}

type Golden = Promise<readonly SchemaObject[]>;

/** What migrations make is the same each time, and a start looks twice: by the language of an engine and their names. */
const GOLDEN = new WeakMap<object, Map<string, Golden>>();
/** A program meets its own version's schema and hardly ever another's. */
const MOST_GOLDEN = 2;

async function goldenOf(scratch: Scratch, applied: readonly string[]): Golden {
  const engine = await scratch();
  try {
    let known = GOLDEN.get(engine.language);
    if (known === undefined) GOLDEN.set(engine.language, known = new Map());
    return await recall(known, applied.join(), MOST_GOLDEN, () => makeGolden(engine, applied));
  } finally {
    await engine.close();
  }
}

async function makeGolden(engine: Engine, applied: readonly string[]): Golden {
  const db = connectDatabase(engine);
  await migrate(db, applied);
  return (await engineOf(db).readSchema(MIGRATION_TABLE)).objects;
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

/** A trigger may have the name of a table. */
function isNamesake(one: SchemaObject, other: SchemaObject): boolean {
  return one.type === other.type && one.name === other.name;
}
