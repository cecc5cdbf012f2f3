import type { Compilable, CompiledQuery } from "kysely";
import type { Language } from "./dialect.ts";
import { changeCompiled, type Handle, languageOf, runCompiled } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/** A placeholder in a query for a value that each execution supplies. */
export type Slot<V> = <K extends keyof V & string>(name: K) => V[K];

interface Template<Row> {
  readonly query: CompiledQuery<Row>;
  /** The slot of each parameter, or undefined for a constant. */
  readonly slots: readonly (string | undefined)[];
}

type RunWith<Row, Outcome> = (
  db: Handle,
  query: CompiledQuery<Row>,
  parameters: readonly unknown[],
) => Promise<Outcome>;

/**
 * Returns a query that is built and compiled once per SQL dialect: compiling costs more than running it. A slot holds
 * a value, never null in an `is` and never a list, because the SQL would depend on it.
 */
export function prepared<V extends object, Row>(
  build: (db: Db, slot: Slot<V>) => Compilable<Row>,
): (db: Db, values: V) => Promise<Row[]> {
  return filledIn(build, runCompiled);
}

/** Like `prepared`, for a statement that returns no rows. Resolves to the number of changed rows. */
export function preparedChange<V extends object>(
  build: (db: Db, slot: Slot<V>) => Compilable<unknown>,
): (db: Db, values: V) => Promise<number> {
  return filledIn(build, changeCompiled);
}

function filledIn<V extends object, Row, Outcome>(
  build: (db: Db, slot: Slot<V>) => Compilable<Row>,
  run: RunWith<Row, Outcome>,
): (db: Db, values: V) => Promise<Outcome> {
  const templates = new WeakMap<Language, Template<Row>>();
  return (db, values) => {
    const language = languageOf(db);
    let template = templates.get(language);
    if (template === undefined) {
      template = compile(db, build);
      templates.set(language, template);
    }
    const { query, slots } = template;
    const parameters: unknown[] = [];
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index];
      parameters.push(slot === undefined ? query.parameters[index] : values[slot as keyof V]);
    }
    // Returns the promise itself, unwrapped: each wrapper would add a microtask turn to every statement.
    return run(db, query, parameters);
  };
}

function compile<V extends object, Row>(
  db: Db,
  build: (db: Db, slot: Slot<V>) => Compilable<Row>,
): Template<Row> {
  const names = new Map<unknown, string>();
  const query = build(db, (name) => {
    const marker = Object.freeze({ slot: name });
    names.set(marker, name);
    return marker as never;
  }).compile();
  return { query, slots: query.parameters.map((parameter) => names.get(parameter)) };
}
