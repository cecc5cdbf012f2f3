import { clearTimeout, setTimeout } from "node:timers";

/** Pages in the log, 1 MiB, that are merged when the database is idle. */
const QUIET_PAGES = 250;
/** Pages, 2 MiB, that are merged under load too. More pages block requests longer; fewer cost more work. */
const MOST_PAGES = 500;
/** Milliseconds without a commit that count as idle. */
const QUIET = 20;

export interface WriteAheadLog {
  readonly waitingPages: () => Promise<number>;
  readonly merge: () => Promise<void>;
}

export interface Checkpoints {
  /** Must be called after each commit. */
  committed(): void;
  stop(): void;
}

/**
 * Merges the log in a pause between commits, or when it has grown too long. SQLite itself would merge within a
 * commit, delay that commit and hide a failure. Checks some milliseconds after a commit.
 */
export function createCheckpoints({ waitingPages, merge }: WriteAheadLog): Checkpoints {
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let isStopped = false;

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
    },
  };
}
