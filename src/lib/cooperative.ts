/** Long work in parts. Other work can run between them. */
export type Parts<T> = Generator<void, T, void>;

export function atOnce<T>(work: Parts<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs all parts and awaits `turn` between them, so that shorter work can go first. */
export async function inTurns<T>(work: Parts<T>, turn: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await turn();
  }
}

/** Resolves after the events that are ready, so that requests that have arrived can run. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
