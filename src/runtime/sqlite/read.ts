import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../../db/engine.ts";
import { nodeConnection } from "./deno.ts";
import { createSqliteEngine } from "./engine.ts";

/** Opens a file that other processes may write. Does not change it, but may create an empty log and its index. */
export function openSqliteToRead(path: string): Engine {
  const raw = new DatabaseSync(path, { readOnly: true });
  raw.enableDefensive(true);
  raw.exec("pragma trusted_schema = off; pragma cell_size_check = on");
  return createSqliteEngine(nodeConnection(raw), { access: "read" });
}
