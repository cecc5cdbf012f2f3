// Holds the database at the second argument in the way of the first, says whether it got it, and waits to be killed.
import process from "node:process";
import { holdDatabase } from "../../../src/runtime/database-lock.ts";
import type { HoldKind } from "../../../src/runtime/database-lock.ts";

const [kind, path] = process.argv.slice(2) as [HoldKind, string];
const hold = holdDatabase(path, kind);
process.stdout.write(hold === undefined ? "refused\n" : "held\n");
if (hold !== undefined) {
  setTimeout(() => hold.release(), 60_000);
  // Garbage must be collected meanwhile: what nobody keeps would lose its lock.
  setInterval(() => Array.from({ length: 1e5 }, () => ({})), 5);
}
