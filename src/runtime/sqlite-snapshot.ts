import type { SqliteHandle } from "./sqlite-dialect.ts";

/** One state of the database for reads that follow each other at once: entering it takes a lock, and leaving it too. */
export interface Snapshot {
  /** The next reads see one state, until what is ready to run has run. */
  enter(): void;
  /** Leaves it, for whatever writes. */
  leave(): void;
}

/** None: each read is for itself. */
const NO_SNAPSHOT: Snapshot = { enter: () => {}, leave: () => {} };

/**
 * Reads outside of transactions share a snapshot as long as nothing arrives between them: what one request reads before
 * it waits for anything. Whatever was committed before a request arrived is seen by it, other processes' work too.
 */
export function createSnapshot({ run, inTransaction, afterMicrotasks }: SqliteHandle): Snapshot {
  if (afterMicrotasks === undefined) return NO_SNAPSHOT;
  let isEntered = false;

  function enter(): void {
    if (isEntered) return;
    // Takes no lock yet: the first read does.
    run("begin", []);
    isEntered = true;
    afterMicrotasks!(leave);
  }

  function leave(): void {
    if (!isEntered) return;
    isEntered = false;
    // SQLite may have left it by itself after an error.
    if (inTransaction()) run("commit", []);
  }

  return { enter, leave };
}
