import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Returns true if a process runs the file. Linux then refuses to open it for writing; elsewhere assumes so. */
function isRunning(path: string): boolean {
  if (process.platform !== "linux") return true;
  try {
    closeSync(openSync(path, "r+"));
    return false;
  } catch {
    return true;
  }
}

/**
 * Deletes the programs of a folder except `kept`, unfinished ones (a dot first) and those that run: a supervisor
 * starts its processes again from its own file.
 */
export function deleteIdle(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name !== kept && !name.startsWith(".") && !isRunning(path)) rmSync(path, { force: true });
  }
}
