import type { DocumentHosts } from "../oauth/client/document-url.ts";

/** Returns true for a host in its normal form. A name without a dot is probably a mistyped `on` or `off`. */
function isHost(text: string): boolean {
  return /^[a-z0-9.-]+(?::\d+)?$/.test(text) && /[.:]/.test(text) &&
    URL.parse(`https://${text}`)?.host === text;
}

/** Reads `CLIENT_METADATA`: `off`, `on`, or exact hosts separated by commas. Returns undefined if it is not set. */
export function readClientMetadata(text: string, faults: string[]): DocumentHosts | undefined {
  if (text === "") return undefined;
  if (text === "off" || text === "on") return text;
  const hosts = text.split(",");
  if (hosts.every(isHost)) return hosts;
  faults.push(
    "CLIENT_METADATA must be off, on, or host names separated by commas, in lower case and with the port if it is not 443",
  );
  return undefined;
}
