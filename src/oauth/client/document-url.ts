/** Longer ids are not read as URLs. */
const LONGEST = 2000;

/** The hosts whose metadata documents are accepted (`CLIENT_METADATA`), each with its port if it is not the default. */
export type DocumentHosts = "off" | "on" | readonly string[];

/** Returns true for a `client_id` that may be a URL. Registered ids have no colon. */
export function isDocumentId(clientId: string): boolean {
  return clientId.length <= LONGEST && /^[!-~]+$/.test(clientId) && clientId.includes(":");
}

/**
 * Returns the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document section 3): https, with a path,
 * in its normal form, without a fragment and a user name. With `local`, also http on 127.0.0.1. Returns undefined for
 * anything else.
 */
export function readDocumentUrl(clientId: string, { local }: { readonly local: boolean }): URL | undefined {
  const url = isDocumentId(clientId) ? URL.parse(clientId) : null;
  if (url === null || url.href !== clientId || clientId.includes("#") || url.pathname === "/") {
    return undefined;
  }
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(clientId)) return undefined;
  if (url.protocol === "https:") return url;
  return local && url.protocol === "http:" && url.hostname === "127.0.0.1" ? url : undefined;
}

export function isAcceptedHost(hosts: DocumentHosts, host: string): boolean {
  return hosts === "on" || (hosts !== "off" && hosts.includes(host));
}
