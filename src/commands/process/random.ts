/** The platform's secure random bytes, for every command to hand on. */
export function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
