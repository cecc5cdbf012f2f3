import { setTimeout as wait } from "node:timers/promises";

/** Pauses for twice the batch's duration, queues included, and so uses at most a third of the time. */
export async function runThrottled<T>(batch: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await batch();
  await wait(2 * (performance.now() - begun));
  return result;
}
