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
