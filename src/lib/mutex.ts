/** Acquires the lock. Resolves with the function that releases it. */
export type Line = () => Promise<() => void>;

/** Creates a lock that serves callers in order. */
export function createLine(): Line {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return resolve;
  };
}

/** Creates a lock for each name, and deletes it when unused. Callers must release it only once. */
export function createLines(): (name: string) => ReturnType<Line> {
  const lines = new Map<string, { readonly enter: Line; inside: number }>();
  return async (name) => {
    const line = lines.get(name) ?? { enter: createLine(), inside: 0 };
    lines.set(name, line);
    line.inside++;
    const leave = await line.enter();
    return () => {
      if (--line.inside === 0) lines.delete(name);
      leave();
    };
  };
}
