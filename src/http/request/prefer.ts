/** One preference (RFC 7240 section 2): a name, perhaps a value, perhaps parameters, which none that we know has. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))?\s*)?(?:;.*)?$/;

/**
 * The seconds that a client would wait for its answer (RFC 7240 section 4.3, `Prefer: wait=10`); undefined where it says
 * none, or no whole number: a preference that is not understood is ignored (section 2). Of several the first counts.
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
