import { isPlainlyPrivate, isPublicHost } from "../../lib/outgoing.ts";
import type { Lookup } from "../../lib/outgoing.ts";
import { findUriFault } from "./redirect-uri.ts";

/**
 * Where applications may be told of logouts: `public`, at hosts that anybody can reach; `private`, anywhere; `local`, for
 * development, without https too where it is this machine.
 */
export type LogoutHosts = "public" | "private" | "local";

/**
 * Why a URI may not be asked for a logout (OpenID Connect Back-Channel Logout 1.0 section 2.2); undefined when it may, as
 * far as the URI itself says. We post to it: https, and nothing of our own network unless the operator allows that, so
 * that whoever registers applications cannot reach what only we reach.
 */
export function findLogoutUriFault(uri: string, hosts: LogoutHosts): string | undefined {
  if (hosts !== "local" && !/^https:/i.test(uri)) return "Expected https";
  const fault = findUriFault(uri, "web");
  if (fault !== undefined) return fault;
  return hosts === "public" && isPlainlyPrivate(new URL(uri).hostname)
    ? "Expected a host that anybody can reach: this one is of a private network"
    : undefined;
}

/** Whether a registered URI may be asked now, by what its host stands for now. Rejects with the signal's reason. */
export async function mayAskLogoutUri(
  uri: string,
  hosts: LogoutHosts,
  means: { readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<boolean> {
  if (findLogoutUriFault(uri, hosts) !== undefined) return false;
  return hosts !== "public" || await isPublicHost(new URL(uri).hostname, means);
}
