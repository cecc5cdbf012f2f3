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
