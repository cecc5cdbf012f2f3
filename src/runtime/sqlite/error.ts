import { DatabaseError, type DatabaseErrorCode } from "../../db/error.ts";

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** SQLite detected that the file was renamed. */
const SQLITE_READONLY_DBMOVED = 1032;
/** No space for the index of the write-ahead log. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** SQLite result codes that concern the whole database. */
const CODES: ReadonlyMap<number, readonly [DatabaseErrorCode, message: string]> = new Map([
  [SQLITE_BUSY, ["busy", "Cannot use database: another process has its lock"]],
  [SQLITE_FULL, ["disk_full", "Cannot write to database: the disk is full"]],
  [SQLITE_IOERR_SHMSIZE, ["disk_full", "Cannot write to database: the disk is full"]],
  [SQLITE_READONLY_DBMOVED, ["files_replaced", "Cannot use database: its files were replaced"]],
  [SQLITE_IOERR, ["disk_failed", "Cannot use database: the disk failed"]],
  [SQLITE_READONLY, ["disk_failed", "Cannot write to database: its file or disk is read-only"]],
  [SQLITE_CANTOPEN, ["disk_failed", "Cannot use database: a file of it cannot be opened"]],
  [SQLITE_CORRUPT, ["damaged", "Cannot use database: it is damaged"]],
  [SQLITE_NOTADB, ["damaged", "Cannot use database: its file is not a database"]],
]);

/** Returns SQLite's extended result code. One driver calls it `errno`, the other `errcode`. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errno, errcode } = error as { readonly errno?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return errcode;
  return typeof errno === "number" ? errno : undefined;
}

/** Does not detect it for `exec()` of `node:sqlite` on Deno, whose errors have no code. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === SQLITE_BUSY;
}

export function isDamaged(error: unknown): boolean {
  return (error instanceof DatabaseError ? error : explain(error))?.code === "damaged";
}

/** Like `explain`, for a statement that only read: no write can be lost. */
export function explainRead(error: unknown): DatabaseError | undefined {
  const fault = explain(error);
  return fault?.code === "disk_failed"
    ? new DatabaseError("read_failed", "Cannot read database: the disk failed", { cause: error })
    : fault;
}

/** Returns undefined for an error that does not concern the whole database, such as a constraint violation. */
export function explain(error: unknown): DatabaseError | undefined {
  const code = resultCode(error);
  if (code === undefined) return undefined;
  const [meaning, message] = CODES.get(code) ?? CODES.get(code & 0xff) ?? [];
  if (meaning === undefined) return undefined;
  return new DatabaseError(meaning, message!, { cause: error });
}
