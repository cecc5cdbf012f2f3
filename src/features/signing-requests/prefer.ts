/** One preference (RFC 7240 section 2): a name, an optional value, and parameters, of which `wait` has none. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))?\s*)?(?:;.*)?$/;

/**
 * Returns the seconds that a client prefers to wait for its answer (RFC 7240 section 4.3, `Prefer: wait=10`). Returns
 * undefined without the preference, or if its value is no whole number: section 2 has such a preference ignored. The
 * first of several counts.
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
