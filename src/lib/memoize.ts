/**
 * What a bounded memory has under a key; where it has nothing, what `make` makes of the key, which is kept. At `most`
 * kept values all are forgotten first: what is asked for often is soon there again. For values that a key has for ever.
 * What `make` throws is not kept; a promise that it answers is, whatever comes of it.
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

/**
 * The same function, whose result for an object is kept, and frozen, as long as the object is: for those that nobody
 * changes.
 */
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
