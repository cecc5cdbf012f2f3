import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds SQLite waits for another process's lock, where nothing else has to go on meanwhile. */
export const BUSY_TIMEOUT = 5000;
/** Most rows lie in the order of random ids: of a large database each request asks for pages from all over the file. */
const CACHE_KIBIBYTES = 65_536;
/** Pages of write-ahead log (16 MiB) at which SQLite merges them by itself, should nobody have done it long before. */
const CHECKPOINT_PAGES = 4000;
const WAL_ATTEMPTS = 50;
const WAL_PAUSE = 20;

/**
 * Sets a fresh connection up: write-ahead log, an fsync in each commit, foreign keys. `run` runs one statement and
 * gives its rows.
 */
export async function configureSqlite(path: string, run: (sql: string) => unknown[]): Promise<void> {
  run(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
  await switchToWriteAheadLog(path, run);
  run("pragma synchronous = full");
  run(`pragma cache_size = -${CACHE_KIBIBYTES}`);
  run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // What a savepoint would put back goes to a temporary file otherwise: two writes for each page a job touches.
  run("pragma temp_store = memory");
  run("pragma foreign_keys = on");
  // Views and triggers of a file that somebody edited may call only harmless functions.
  run("pragma trusted_schema = off");
  // A page that somebody edited is refused when it is read, and not believed until it makes no sense.
  run("pragma cell_size_check = on");
  // The first look opens the log: whether its file stays the same is watched from here on.
  run("select 1 from sqlite_schema limit 1");
  // From here on the driver waits: SQLite would stop the event loop.
  run("pragma busy_timeout = 0");
}

async function switchToWriteAheadLog(path: string, run: (sql: string) => unknown[]): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      const [row] = run("pragma journal_mode = wal") as { journal_mode?: string }[];
      const mode = row?.journal_mode;
      if (mode === "wal" || path === ":memory:") return;
      throw new TypeError(`Cannot open database: its journal mode is ${mode}, not wal`);
    } catch (error) {
      // The switch does not wait for a process that is switching at the same moment, whatever the busy time-out.
      if (attempt === WAL_ATTEMPTS || !isLocked(error)) throw error;
      await wait(WAL_PAUSE);
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes("locked");
}
