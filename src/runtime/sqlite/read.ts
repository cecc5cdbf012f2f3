import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../../db/engine.ts";
import { nodeConnection } from "./deno.ts";
import { createSqliteEngine } from "./engine.ts";

/**
 * Opens a read-only engine over an existing SQLite file, on both runtimes. Other processes may write it. Does not
 * change the file, but may create an empty write-ahead log and its index.
 */
export function openSqliteToRead(path: string): Engine {
  const raw = new DatabaseSync(path, { readOnly: true });
  raw.enableDefensive(true);
  raw.exec("pragma trusted_schema = off; pragma cell_size_check = on");
  return createSqliteEngine(nodeConnection(raw), { access: "read" });
}
