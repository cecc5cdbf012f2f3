/** Whether a host name means this machine to every browser (RFC 6761 section 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Whether the service is for this machine alone: development. Anywhere else is production. */
export function isDevelopment(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
}
