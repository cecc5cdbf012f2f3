/** Returns the value as an object, or undefined for any other value, including an array. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, unknown>>
    : undefined;
}

/** Compares two column values: text and numbers by identity, bytes by content. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || !(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return a === b;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
