/** Resolves after whatever else the event loop has ready: requests that have arrived get to run. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
