/**
 * One notation for each peer: an IPv4 address that came in over IPv6 (`::ffff:192.0.2.1`) as IPv4, no zone, and the
 * unspecified address for a peer that is gone already.
 */
export function normalizeAddress(address: string | undefined): string {
  if (address === undefined) return "0.0.0.0";
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address.replace(/%.*$/, "").toLowerCase();
}
