import type { LogoutHosts } from "../oauth/client/logout-uri.ts";
import { isLoopbackName } from "../lib/loopback.ts";

/** Whether the service is for this machine alone: development. Anywhere else is production. */
export function isDevelopment(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
}

/** Where applications may be told of logouts: what is set, and in development this machine as well. */
export function logoutHostsAt(
  baseUrl: string | undefined,
  { logoutHosts }: { readonly logoutHosts: "public" | "private" },
): LogoutHosts {
  return isDevelopment(baseUrl) ? "local" : logoutHosts;
}
