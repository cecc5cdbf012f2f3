import type { CompiledQuery, QueryResult } from "kysely";

export interface SqliteConnection {
  /** Runs a statement synchronously. Throws SQLite's error instead of rejecting. Never waits for a lock. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  inTransaction(): boolean;
  close(): void;
}
