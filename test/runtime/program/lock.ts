// Takes the write lock of the SQLite database at the first argument until its standard input ends.
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2]!);
database.prepare("begin immediate").all();
process.stdout.write("locked\n");
process.stdin.on("end", () => {
  database.prepare("commit").all();
  database.close();
});
process.stdin.resume();
