// Opens the database at the first argument, writes a seed and an account, and is killed before it closes.
import process from "node:process";
import { openDatabase } from "../../../src/db/database.ts";
import { storedSlot } from "../../support/seal-slots.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";

const db = await openDatabase(await openSqlite(process.argv[2]!));
await db.insertInto("seal_slot").values(storedSlot("de".repeat(32))).execute();
process.kill(process.pid, "SIGKILL");
