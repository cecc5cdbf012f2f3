/** Long work in parts. Other work can run between them. */
export type CooperativeTask<T> = Generator<void, T, void>;

export function runSync<T>(work: CooperativeTask<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs all parts and awaits `pause` between them, so that shorter work can go first. */
export async function runCooperatively<T>(work: CooperativeTask<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}

/** Resolves after the events that are ready, so that requests that have arrived can run. */
export async function yieldToEventLoop(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
