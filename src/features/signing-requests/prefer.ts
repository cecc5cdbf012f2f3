/** One preference (RFC 7240 section 2): a name, an optional value, and parameters, of which `wait` has none. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))?\s*)?(?:;.*)?$/;

/**
 * Returns the seconds that a client prefers to wait for its response (RFC 7240 section 4.3, `Prefer: wait=10`). Uses
 * the first of several. Returns undefined without the preference, or if its value is not a whole number: section 2
 * requires that such a preference is ignored.
 */
export function readWait(headers: Headers): number | undefined {
  for (const text of (headers.get("prefer") ?? "").split(",")) {
    const [, name, quoted, token] = PREFERENCE.exec(text) ?? [];
    if (name?.toLowerCase() !== "wait") continue;
    const value = quoted ?? token ?? "";
    return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }
  return undefined;
}
