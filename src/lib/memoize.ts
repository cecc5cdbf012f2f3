/**
 * Returns the cached value, or computes and caches it. Clears the whole cache when it has `most` values. Use it only
 * for values that never change. Caches a promise even if it rejects.
 */
export function recall<K, V extends NonNullable<unknown>>(
  kept: Map<K, V>,
  key: K,
  most: number,
  make: (key: K) => V,
): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  if (kept.size >= most) kept.clear();
  kept.set(key, made);
  return made;
}

/** Caches and freezes the result per object. Use it only for objects that never change. */
export function perObject<O extends object, V extends NonNullable<unknown>>(
  make: (object: O) => V,
): (object: O) => V {
  const kept = new WeakMap<O, V>();
  return (object) => {
    const known = kept.get(object);
    if (known !== undefined) return known;
    const made = Object.freeze(make(object));
    kept.set(object, made);
    return made;
  };
}
