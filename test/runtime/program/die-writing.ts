// Opens the database at the first argument, writes a seed and an account, and is killed before it closes.
import process from "node:process";
import { openDatabase } from "../../../src/db/database.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";

const db = await openDatabase(await openSqlite(process.argv[2]!));
const sealed = new Uint8Array(1);
await db.insertInto("sealed_seed").values({
  id: 1,
  version: 1,
  seal_key_id: "de".repeat(32),
  sealed,
  created_at: 0,
}).execute();
process.kill(process.pid, "SIGKILL");
