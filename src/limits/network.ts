import { formatIpAddress, parseIpAddress } from "../lib/ip-address.ts";

/** Where an address that is none counts: all of them together. */
const UNKNOWN_NETWORK = "unknown";

/**
 * The network that limits count for: an IPv4 address as it is, of an IPv6 address its first 64 bits, which one
 * customer has. An IPv4 address written as an IPv6 one is the IPv4 address.
 */
export function networkOf(clientAddress: string): string {
  const address = parseIpAddress(clientAddress.replace(/%.*$/, ""));
  if (address === undefined) return UNKNOWN_NETWORK;
  if (address.length === 4) return formatIpAddress(address);
  const groups = [0, 2, 4, 6].map((at) => (address[at]! << 8 | address[at + 1]!).toString(16));
  return groups.join(":") + "::/64";
}
