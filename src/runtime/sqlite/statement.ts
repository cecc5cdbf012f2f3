/** A value that both drivers bind and return. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export const DATA_VERSION = "pragma data_version";

export interface DataVersion {
  readonly data_version: number;
}

/** Cached statements for each connection. The service has far fewer. */
const STATEMENT_LIMIT = 500;

/** Throws for other types: one driver would take an object for named parameters and store null. */
function toSqliteValue(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return withoutNul(value);
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  throw new TypeError("Cannot bind parameter: not null, text, number, boolean or bytes");
}

export function toSqliteValues(values: readonly unknown[]): SqliteValue[] {
  const bound: SqliteValue[] = [];
  for (let index = 0; index < values.length; index++) bound.push(toSqliteValue(values[index]));
  return bound;
}

/** Throws for a NUL: one driver reads text up to the first NUL only, and PostgreSQL rejects it. */
function withoutNul(text: string): string {
  if (text.includes("\0")) throw new TypeError("Cannot bind parameter: text with a NUL character");
  return text;
}

/** On one driver a cached statement keeps its old columns after a schema change. */
const CHANGES_SCHEMA = /^\s*(?:alter|create|drop)\b/i;

/** Drops the oldest statement above the limit. */
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
