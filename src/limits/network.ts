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

/**
 * What a network, as `networkOf` gives it, belongs to: the site is an IPv6 /48 or IPv4 /24, which one company or one
 * rented machine may have whole; the region an IPv6 /32 or IPv4 /16, about what one provider has.
 */
export function widen(network: string, to: "site" | "region"): string {
  const groups = network.replace("::/64", "").split(":");
  if (groups.length === 4) {
    return to === "site" ? `${groups.slice(0, 3).join(":")}::/48` : `${groups[0]}:${groups[1]}::/32`;
  }
  const bytes = network.split(".");
  if (bytes.length !== 4) return network;
  return to === "site" ? `${bytes.slice(0, 3).join(".")}.0/24` : `${bytes[0]}.${bytes[1]}.0.0/16`;
}
