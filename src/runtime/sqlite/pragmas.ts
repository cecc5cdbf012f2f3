import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds that SQLite waits for another process's lock where blocking is harmless. */
export const BUSY_TIMEOUT = 5000;
/** Most rows are in the order of random ids, so that each request reads pages across the whole file. */
const CACHE_KIBIBYTES = 65_536;
/** Pages of write-ahead log (16 MiB) at which SQLite merges them itself, as a fallback. */
const CHECKPOINT_PAGES = 4000;
const WAL_ATTEMPTS = 50;
const WAL_PAUSE = 20;

/** Sets up a new connection. `run` runs one statement and returns its rows. */
export async function configureSqlite(path: string, run: (sql: string) => unknown[]): Promise<void> {
  run(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
  await switchToWriteAheadLog(path, run);
  run("pragma synchronous = full");
  run(`pragma cache_size = -${CACHE_KIBIBYTES}`);
  run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // Otherwise savepoints use a temporary file: two writes for each page that a job changes.
  run("pragma temp_store = memory");
  run("pragma foreign_keys = on");
  // Views and triggers of a manipulated file may call only harmless functions.
  run("pragma trusted_schema = off");
  // Rejects a manipulated page when it is read.
  run("pragma cell_size_check = on");
  // The first read opens the log, whose file is watched from here on.
  run("select 1 from sqlite_schema limit 1");
  // From here on the driver waits: SQLite would block the event loop.
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
      // The switch ignores the busy time-out while another process switches.
      if (attempt === WAL_ATTEMPTS || !isLocked(error)) throw error;
      await wait(WAL_PAUSE);
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes("locked");
}
