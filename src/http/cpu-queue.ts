import { createMutex } from "../lib/mutex.ts";
import type { Clock } from "../lib/time.ts";

export interface CpuQueue {
  /** Waits for its turn. Returns the function that ends the turn. */
  enter(): Promise<() => void>;
}

/** Longest pause after a turn, in milliseconds. A caller that took longer was itself waiting. */
const LONGEST_PAUSE = 100;

/** Creates a queue of one request at a time. Pauses after each as long as it ran, so that quick ones do not starve. */
export function createCpuQueue(now: Clock): CpuQueue {
  const mutex = createMutex();

  async function enter(): Promise<() => void> {
    const release = await mutex();
    const begun = now();
    return () => void setTimeout(release, Math.min(now() - begun, LONGEST_PAUSE));
  }

  return { enter };
}
