import { createLine } from "../lib/mutex.ts";
import type { Clock } from "../lib/time.ts";

/** Where requests wait whose answers take long to compute. */
export interface SlowLane {
  /** Resolves when it is the caller's turn, with what ends it. */
  enter(): Promise<() => void>;
}

/** Milliseconds of a pause, at most: who held the lane longer waited itself. */
const LONGEST_PAUSE = 100;

/**
 * Has what computes for tens of milliseconds run one at a time, and after each leaves everybody else as long as it took:
 * whoever floods the lane waits in it, and what is quick waits for one of them at the most.
 */
export function createSlowLane(now: Clock): SlowLane {
  const line = createLine();

  async function enter(): Promise<() => void> {
    const leave = await line();
    const begun = now();
    return () => void setTimeout(leave, Math.min(now() - begun, LONGEST_PAUSE));
  }

  return { enter };
}
