import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../../db/engine.ts";
import { nodeConnection } from "./deno.ts";
import { createSqliteEngine } from "./engine.ts";

/**
 * An engine that can only read a SQLite file, alike on both runtimes, while other processes write it or not. No byte
 * of the file changes; an empty write-ahead log and its index may be made beside it. The file must exist.
 */
export function openSqliteToRead(path: string): Engine {
  const raw = new DatabaseSync(path, { readOnly: true });
  raw.enableDefensive(true);
  raw.exec("pragma trusted_schema = off; pragma cell_size_check = on");
  return createSqliteEngine(nodeConnection(raw), { access: "read" });
}
