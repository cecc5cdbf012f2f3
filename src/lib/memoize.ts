/**
 * Returns the cached value, or computes and caches it. Clears the whole cache when it has `most` values. Use it only
 * for values that never change. Caches a promise even if it rejects.
 */
export function memoize<K, V extends NonNullable<unknown>>(
  cache: Map<K, V>,
  key: K,
  most: number,
  make: (key: K) => V,
): V {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const made = make(key);
  if (cache.size >= most) cache.clear();
  cache.set(key, made);
  return made;
}

/** Caches and freezes the result per object. Use it only for objects that never change. */
export function memoizePerObject<O extends object, V extends NonNullable<unknown>>(
  make: (object: O) => V,
): (object: O) => V {
  const cache = new WeakMap<O, V>();
  return (object) => {
    const cached = cache.get(object);
    if (cached !== undefined) return cached;
    const made = Object.freeze(make(object));
    cache.set(object, made);
    return made;
  };
}
