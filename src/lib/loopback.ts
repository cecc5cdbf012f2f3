/** Whether a host name means this machine to every browser (RFC 6761 section 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
