import type { CompiledQuery, QueryResult } from "kysely";

export interface SqliteConnection {
  /** Runs a statement synchronously. Throws SQLite's error instead of rejecting. Never waits for a lock. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  inTransaction(): boolean;
  /** Returns `pragma data_version`, which differs after another connection has committed. Takes some microseconds. */
  dataVersion(): number;
  close(): void;
}
