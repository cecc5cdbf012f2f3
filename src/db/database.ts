import type { Engine } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { connect, engineOf } from "./port.ts";
import type { Db, Tables } from "./schema/schema.ts";

/** A handle on a database as it is. Does not look at its schema: `readSchema` does. The caller closes it. */
export function connectDatabase(engine: Engine): Db {
  return connect<Tables>(engine);
}

/**
 * Opens the database, brings its schema up to date and watches it from then on; on any fault it is closed again. Does
 * not prove that the schema is the right one: whoever does, does it on this handle. The caller closes it.
 */
export async function openDatabase(engine: Engine): Promise<Db> {
  const db = connectDatabase(engine);
  try {
    await migrate(db);
    await engineOf(db).watchSchema();
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Closes the database. Its write-ahead log is merged and removed if no other process has it open. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.destroy();
}
