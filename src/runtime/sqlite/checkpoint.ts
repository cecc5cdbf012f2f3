import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { CompiledQuery } from "kysely";

/** Pages in the log, 1 MiB, that are merged when the database is idle. */
const QUIET_PAGES = 250;
/** Pages, 2 MiB, that are merged under load too. More pages block requests longer; fewer cost more work. */
const MOST_PAGES = 500;
/** Milliseconds without a commit that count as idle. */
const QUIET = 20;
/** Milliseconds without a commit after which the cached pages are released. */
const IDLE = 10_000;

/**
 * Gives back the memory of the page cache, 64 MiB, in 2 ms. The system has the pages, and a read takes them from it.
 */
const RELEASE_PAGES = CompiledQuery.raw("pragma shrink_memory");

export interface CheckpointedDatabase {
  readonly waitingPages: () => Promise<number>;
  readonly merge: () => Promise<void>;
  readonly run: (query: CompiledQuery) => Promise<unknown>;
}

export interface Checkpoints {
  /** Must be called after each commit. */
  committed(): void;
  stop(): void;
}

/**
 * Merges the log in a pause between commits, or when it has grown too long. SQLite itself would merge within a
 * commit, delay that commit and hide a failure. Checks some milliseconds after a commit. Releases the cached pages of
 * an idle database again and again, because the walk through the audit log reads them all.
 */
export function createCheckpoints(
  { waitingPages, merge, run }: CheckpointedDatabase,
  idle = IDLE,
): Checkpoints {
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let isStopped = false;
  let commitsBefore = 0;
  const releases = setInterval(() => {
    // The health monitor has a lasting error.
    if (commits === commitsBefore) void run(RELEASE_PAGES).catch(() => {});
    commitsBefore = commits;
  }, idle);
  releases.unref();

  function lookLater(): void {
    if (isStopped) return;
    const before = commits;
    timer = setTimeout(() => void look(before), QUIET);
    // Does not keep the process alive: closing the database merges the log too.
    timer.unref();
  }

  /** `before` is the number of commits when the check was scheduled. An equal number now means idle. */
  async function look(before: number): Promise<void> {
    const least = commits === before ? QUIET_PAGES : MOST_PAGES;
    try {
      if (await waitingPages() >= least) await merge();
    } catch {
      // The health monitor has the error, and the maintenance job tries again.
    }
    timer = undefined;
    if (commits !== before) lookLater();
  }

  return {
    committed: () => {
      commits++;
      if (timer === undefined) lookLater();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      clearInterval(releases);
    },
  };
}
