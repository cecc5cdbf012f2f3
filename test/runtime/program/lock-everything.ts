// Locks the SQLite database at the first argument against readers too, as recovery does, for half a second.
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2]!);
database.exec("pragma locking_mode = exclusive");
database.exec("begin immediate");
process.stdout.write("locked\n");
setTimeout(() => {
  database.exec("commit");
  database.close();
}, 500);
