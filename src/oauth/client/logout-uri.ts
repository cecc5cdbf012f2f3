import { isPlainlyPrivate } from "../../lib/outgoing.ts";
import { findUriFault } from "./redirect-uri.ts";

/** The permitted hosts of logout URIs. `private` includes public hosts; `local` permits http too, for development. */
export type LogoutHosts = "public" | "private" | "local";

/**
 * Returns why a logout URI is not permitted (OpenID Connect Back-Channel Logout 1.0 section 2.2), judged by the URI
 * alone. It must be https. Private networks are refused unless the operator allows them, so that an administrator of
 * clients cannot reach internal hosts through the service (SSRF).
 */
export function findLogoutUriFault(uri: string, hosts: LogoutHosts): string | undefined {
  if (hosts !== "local" && !/^https:/i.test(uri)) return "Expected https";
  const fault = findUriFault(uri, "web");
  if (fault !== undefined) return fault;
  return hosts === "public" && isPlainlyPrivate(new URL(uri).hostname)
    ? "Expected a public host: this one is in a private network"
    : undefined;
}
