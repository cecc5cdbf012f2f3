import { setTimeout as wait } from "node:timers/promises";

/**
 * Runs a batch of work that nobody waits for, and then leaves others twice the time that it took, what it waited for
 * them included: at most a third of the time is its own, and less the more there is to do.
 */
export async function atEase<T>(batch: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await batch();
  await wait(2 * (performance.now() - begun));
  return result;
}
