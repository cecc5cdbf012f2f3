/** Resolves when it is the caller's turn, with what lets the next one in. */
export type Line = () => Promise<() => void>;

/** A line in which one at a time has its turn, in the order in which they came. */
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

/** A line for each name, for as long as somebody is in it. What lets the next one in is called once. */
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
