import type { Compilable, CompiledQuery, DialectAdapter } from "kysely";
import type { Db } from "./schema.ts";

/** Stands in a query for a value that is given at each execution. */
export type Slot<V> = <K extends keyof V & string>(name: K) => V[K];

interface Template {
  readonly query: CompiledQuery;
  /** For each parameter the slot it is, or undefined for a constant. */
  readonly slots: readonly (string | undefined)[];
}

/**
 * A query that is built and compiled once for each kind of database and then only filled in: compiling costs more than
 * running it. A slot holds a value, never null in an `is` and never a list: their SQL would depend on it.
 */
export function prepared<V extends object, Row>(
  build: (db: Db, slot: Slot<V>) => Compilable<Row>,
): (db: Db, values: V) => Promise<Row[]> {
  const templates = new WeakMap<DialectAdapter, Template>();
  return async (db, values) => {
    const adapter = db.getExecutor().adapter;
    let template = templates.get(adapter);
    if (template === undefined) {
      template = compile(db, build);
      templates.set(adapter, template);
    }
    const { query, slots } = template;
    const parameters = slots.map((slot, index) =>
      slot === undefined ? query.parameters[index] : values[slot as keyof V]
    );
    const { rows } = await db.executeQuery<Row>({ ...query, parameters } as CompiledQuery<Row>);
    return rows;
  };
}

function compile<V extends object, Row>(
  db: Db,
  build: (db: Db, slot: Slot<V>) => Compilable<Row>,
): Template {
  const names = new Map<unknown, string>();
  const query = build(db, (name) => {
    const marker = Object.freeze({ slot: name });
    names.set(marker, name);
    return marker as never;
  }).compile();
  return { query, slots: query.parameters.map((parameter) => names.get(parameter)) };
}
