import type { Engine } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { connect, engineOf } from "./port.ts";
import type { Db, Tables } from "./schema/schema.ts";

/** Connects to a database. Does not check its schema. The caller closes the handle. */
export function connectDatabase(engine: Engine): Db {
  return connect<Tables>(engine);
}

/** Opens, migrates and watches the database; closes it on any fault. Does not verify the schema: the caller must. */
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

/** Closes the database. Merges and deletes its write-ahead log if no other process has it open. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.destroy();
}
