import type { CompiledQuery, QueryResult } from "kysely";

/** What either runtime's database gives the engine. */
export interface SqliteConnection {
  /** Runs a statement at once, and throws, before there is a promise, what SQLite says. Never waits for a lock. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
  close(): void;
}
