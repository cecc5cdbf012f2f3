import type { Pool, PoolClient } from "pg";
import { DatabaseError } from "../db/error.ts";

async function backendOf(client: PoolClient): Promise<unknown> {
  const { rows: [row] } = await client.query("select pg_backend_pid() as backend");
  return row.backend;
}

/**
 * Refuses a pooler that gives each transaction or statement to whichever of its connections is idle: what a session was
 * set to (where names are looked up, how long a statement may take) would be lost between two statements, and given to
 * others. Two sessions that are open at once are never at the same backend, and each stays at its own.
 *
 * Not seen is a pooler whose other clients change what is idle between our three questions so that each looks right.
 */
export async function checkSessions(pool: Pick<Pool, "connect">): Promise<void> {
  const one = await pool.connect();
  try {
    const other = await pool.connect();
    try {
      const [first, second, again] = [await backendOf(one), await backendOf(other), await backendOf(other)];
      if (first !== second && second === again) return;
    } finally {
      other.release();
    }
  } finally {
    one.release();
  }
  throw new DatabaseError(
    "login_refused",
    "Cannot use database: a pooler before it shares sessions (PgBouncer's pool_mode must be session)",
  );
}
