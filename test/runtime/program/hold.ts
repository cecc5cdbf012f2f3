// Locks the database at the second argument in the mode of the first, prints if it succeeded, and waits to be killed.
import process from "node:process";
import { holdDatabase } from "../../../src/runtime/database-lock.ts";
import type { HoldKind } from "../../../src/runtime/database-lock.ts";

const [kind, path] = process.argv.slice(2) as [HoldKind, string];
const hold = holdDatabase(path, kind);
process.stdout.write(hold === undefined ? "refused\n" : "held\n");
if (hold !== undefined) {
  setTimeout(() => hold.release(), 60_000);
  // Forces garbage collection, which would release a lock that is not referenced.
  setInterval(() => Array.from({ length: 1e5 }, () => ({})), 5);
}
