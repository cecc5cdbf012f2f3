import { statSync } from "node:fs";

export type FilesLook =
  | "same"
  /** The write-ahead log was deleted. Its content can still be merged into the database. */
  | "log_missing"
  /** Another file has one of the names. */
  | "replaced";

interface FileId {
  readonly dev: number;
  readonly ino: number;
}

/** Returns undefined if no file can be found, for any reason. */
function idOf(path: string): FileId | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(one: FileId | undefined, other: FileId | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}

/**
 * Returns a function that compares the files' device and inode with those found now. SQLite keeps writing to files
 * whose names are gone and acknowledges commits that are lost. A database in memory never changes.
 */
export function snapshotFiles(path: string): () => FilesLook {
  if (path === ":memory:") return () => "same";
  const logPath = `${path}-wal`;
  const [database, log] = [idOf(path), idOf(logPath)];
  return () => {
    if (!isSame(database, idOf(path))) return "replaced";
    const now = idOf(logPath);
    if (isSame(log, now)) return "same";
    return now === undefined ? "log_missing" : "replaced";
  };
}
