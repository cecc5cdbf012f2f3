import type { PoolClient, QueryResult } from "pg";
import { DatabaseError } from "../../db/error.ts";
import { isConnectionBroken, stateOf } from "./error.ts";

/**
 * Commits. Throws `DatabaseError` `not_written` if the server rolled back, and `commit_unknown` if it may have
 * committed.
 */
export async function commit(client: PoolClient): Promise<void> {
  let result: QueryResult;
  try {
    result = await client.query("commit");
  } catch (error) {
    // An error from a server that still responds means that the commit failed.
    if (stateOf(error) !== undefined && !isConnectionBroken(error)) throw error;
    const message = "Cannot tell whether the database has written: the connection broke within the commit";
    throw new DatabaseError("commit_unknown", message, { cause: error });
  }
  // The server answers ROLLBACK if a statement of the transaction failed.
  if (result.command !== "COMMIT") {
    throw new DatabaseError("not_written", "Cannot rely on commit: the database rolled it back");
  }
}

/** Rolls back. Marks a connection that fails to do so as broken. */
export async function rollback(client: PoolClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => client.emit("error", error as Error));
}
