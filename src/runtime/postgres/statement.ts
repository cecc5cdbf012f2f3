import type { CompiledQuery, QueryResult } from "kysely";
import type { QueryConfig, QueryResult as DriverResult } from "pg";
import { toPostgresValue } from "./connection.ts";

/** Prepared statements for each connection. The service has far fewer. */
const STATEMENT_LIMIT = 500;

/**
 * Returns a function that makes of a query what the driver sends, with a name for what Kysely built. It throws
 * `TypeError` for a value of another type than `toPostgresValue` takes.
 */
export function createStatements(): (query: CompiledQuery) => QueryConfig {
  const names = new Map<string, string>();

  function nameOf(sql: string): string | undefined {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_LIMIT) return known;
    const name = `holdfast_${names.size}`;
    names.set(sql, name);
    return name;
  }

  return ({ query, sql, parameters }) => {
    const values = parameters.map(toPostgresValue);
    const name = query.kind === "RawNode" ? undefined : nameOf(sql);
    return name === undefined ? { text: sql, values } : { name, text: sql, values };
  };
}

/** SQL text that only reads. A query built by Kysely has its own kind. */
const READS = /^\s*(?:select|explain|show)\b/i;

export function isReading({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || (query.kind === "RawNode" && READS.test(sql));
}

/** Returns true for a rollback to a savepoint. */
export function isUndoing({ query, sql }: CompiledQuery): boolean {
  return query.kind === "RawNode" && /^rollback to\b/i.test(sql);
}

const WRITING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

export function toResult<R>({ command, rowCount, rows }: DriverResult): QueryResult<R> {
  return WRITING.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}
