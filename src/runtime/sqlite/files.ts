import { statSync } from "node:fs";

/** What has become of the files of a database that is open. */
export type FilesLook =
  | "same"
  /** The write-ahead log was deleted: what is in it can still be merged into the database. */
  | "log_missing"
  /** Another file has a name of theirs. */
  | "replaced";

interface FileId {
  readonly dev: number;
  readonly ino: number;
}

/** Undefined where nothing can be found by that name, whatever the reason. */
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
 * Tells by device and inode whether the files of a database are still those that are open now. SQLite goes on in files
 * whose names are gone, and acknowledges what nobody will find again. A database in memory stays what it is.
 */
export function rememberFiles(path: string): () => FilesLook {
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
