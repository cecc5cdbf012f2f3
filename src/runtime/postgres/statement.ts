import type { CompiledQuery, QueryResult } from "kysely";
import type { QueryResult as DriverResult } from "pg";

/** SQL text that only reads. A query built by Kysely has its own kind. */
const READS = /^\s*(?:select|explain|show)\b/i;

export function isReading({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || (query.kind === "RawNode" && READS.test(sql));
}

const WRITING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

export function toResult<R>({ command, rowCount, rows }: DriverResult): QueryResult<R> {
  return WRITING.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}
