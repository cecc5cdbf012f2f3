/** What both drivers can bind and give back. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** Statements kept per connection; the service has far fewer different ones. */
const STATEMENT_LIMIT = 500;

/**
 * A parameter as both drivers bind it. Anything else is refused: one driver would take some objects for a bag of
 * named parameters and store null.
 */
export function toSqliteValue(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return withoutNul(value);
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  throw new TypeError("Cannot bind parameter: not null, text, number, boolean or bytes");
}

/** Each of them as `toSqliteValue` has it. */
export function toSqliteValues(values: readonly unknown[]): SqliteValue[] {
  const bound: SqliteValue[] = [];
  for (let index = 0; index < values.length; index++) bound.push(toSqliteValue(values[index]));
  return bound;
}

/** One driver reads text to the first NUL only, and Postgres takes none. */
function withoutNul(text: string): string {
  if (text.includes("\0")) throw new TypeError("Cannot bind parameter: text with a NUL character");
  return text;
}

/** A column's change leaves a kept statement with its old columns on one of the drivers. */
const CHANGES_SCHEMA = /^\s*(?:alter|create|drop)\b/i;

/** Keeps what `prepare` makes for each text of SQL, dropping the oldest (with `drop`) beyond the limit. */
export function statementCache<S>(
  prepare: (sql: string) => S,
  drop: (statement: S) => void,
): { readonly prepare: (sql: string) => S; readonly clear: () => void } {
  const statements = new Map<string, S>();
  function cached(sql: string): S {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (CHANGES_SCHEMA.test(sql)) clear();
    if (statements.size >= STATEMENT_LIMIT) {
      const [oldest, statement] = statements.entries().next().value!;
      statements.delete(oldest);
      drop(statement);
    }
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  }
  function clear(): void {
    for (const statement of statements.values()) drop(statement);
    statements.clear();
  }
  return { prepare: cached, clear };
}
