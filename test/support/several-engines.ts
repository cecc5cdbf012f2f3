import { openPostgres } from "../../src/runtime/postgres/open.ts";
import type { Engine } from "../../src/db/engine.ts";
import { createPostgresDatabase, dropPostgresDatabase, postgresAt } from "./postgres.ts";

/** Runs a job over engines on one new database. They share no state, as in separate processes. */
export async function inSeveral(
  count: number,
  job: (engines: readonly Engine[]) => Promise<void>,
): Promise<void> {
  const name = await createPostgresDatabase();
  const engines = await Promise.all(
    Array.from({ length: count }, () => openPostgres({ ...postgresAt(name), readers: 2 })),
  );
  try {
    await job(engines);
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await dropPostgresDatabase(name);
  }
}
