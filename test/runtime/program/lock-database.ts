// Locks the database at the second argument in the mode of the first, prints if it succeeded, and waits to be killed.
import process from "node:process";
import { tryLockDatabase } from "../../../src/runtime/database-lock.ts";
import type { LockMode } from "../../../src/runtime/database-lock.ts";

const [mode, path] = process.argv.slice(2) as [LockMode, string];
const lock = tryLockDatabase(path, mode);
process.stdout.write(lock === undefined ? "refused\n" : "held\n");
if (lock !== undefined) {
  setTimeout(() => lock.release(), 60_000);
  // Forces garbage collection, which would release a lock that is not referenced.
  setInterval(() => Array.from({ length: 1e5 }, () => ({})), 5);
}
