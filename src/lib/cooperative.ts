/** Work that takes long, in parts: between them it may be left for a while. */
export type Parts<T> = Generator<void, T, void>;

/** Does all of it at once. */
export function atOnce<T>(work: Parts<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does all of it, and waits for `turn` between its parts: whoever has less to do goes first. */
export async function inTurns<T>(work: Parts<T>, turn: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await turn();
  }
}

/** Resolves after whatever else the event loop has ready: requests that have arrived get to run. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
