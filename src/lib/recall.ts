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
