const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const SQLITE_DAMAGED: readonly number[] = [11, 26];

/** SQLite's extended result code: one driver calls it `errno`, the other `errcode`. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errno, errcode } = error as { readonly errno?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return errcode;
  return typeof errno === "number" ? errno : undefined;
}

/**
 * Whether a statement did nothing because another connection has SQLite's lock. Not for `exec()` of `node:sqlite`, whose
 * errors have no code on Deno.
 */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === SQLITE_BUSY;
}

/** Whether the disk itself failed (any of SQLite's I/O errors; a full disk is not one). */
export function isDiskFailure(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === SQLITE_IOERR;
}

/** Whether a file is no database that SQLite can read. */
export function isDamaged(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && SQLITE_DAMAGED.includes(code & 0xff);
}
