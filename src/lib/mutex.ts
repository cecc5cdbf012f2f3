/** Acquires the lock. Resolves with the function that releases it. */
export type Mutex = () => Promise<() => void>;

/** Creates a lock that serves callers in order. */
export function createMutex(): Mutex {
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
export function createKeyedMutex(): (name: string) => ReturnType<Mutex> {
  const mutexes = new Map<string, { readonly acquire: Mutex; holders: number }>();
  return async (name) => {
    const mutex = mutexes.get(name) ?? { acquire: createMutex(), holders: 0 };
    mutexes.set(name, mutex);
    mutex.holders++;
    const release = await mutex.acquire();
    return () => {
      if (--mutex.holders === 0) mutexes.delete(name);
      release();
    };
  };
}
