import { clearTimeout, setTimeout } from "node:timers";

/** Pages that wait in the log, 1 MiB, which are worth a checkpoint when nothing else is going on. */
const QUIET_PAGES = 250;
/** Pages that are merged whatever is going on, 2 MiB: more hold everybody up for longer, fewer are more work. */
const MOST_PAGES = 500;
/** Milliseconds without a commit. */
const QUIET = 20;

/** What it takes to merge the log of a database. */
export interface LogKeeper {
  /** Pages in the log that are not in the database yet. */
  readonly waitingPages: () => Promise<number>;
  readonly merge: () => Promise<void>;
}

/** Chooses the moments at which a database's log is merged into it. */
export interface Checkpoints {
  /** To be told of each commit. */
  committed(): void;
  stop(): void;
}

/**
 * Merges the log in a pause between commits, or when it has grown too much: SQLite itself would do it within the commit
 * that fills the log, hold that one up, and keep what fails to itself. It looks only some milliseconds after a commit.
 */
export function createCheckpoints({ waitingPages, merge }: LogKeeper): Checkpoints {
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let isStopped = false;

  function lookLater(): void {
    if (isStopped) return;
    const before = commits;
    timer = setTimeout(() => void look(before), QUIET);
    // Nobody lives on for this: closing the database merges the log too.
    timer.unref();
  }

  /** `before` is how many commits there were when it was asked for: with no further one, all is quiet. */
  async function look(before: number): Promise<void> {
    const least = commits === before ? QUIET_PAGES : MOST_PAGES;
    try {
      if (await waitingPages() >= least) await merge();
    } catch {
      // The health of the database knows, and the maintenance tries again.
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
