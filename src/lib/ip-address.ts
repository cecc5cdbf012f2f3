const IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** All addresses whose first `bits` bits equal those of `address`. */
export interface IpNetwork {
  /** 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly bits: number;
}

/**
 * Parses IPv4 to 4 bytes, IPv6 in any spelling to 16, and IPv4-mapped IPv6 (`::ffff:192.0.2.1`) to 4. Returns undefined
 * for anything else, including a zone (`%eth0`).
 */
export function parseIpAddress(text: string): Uint8Array | undefined {
  if (IPV4.test(text)) return Uint8Array.from(text.split("."), Number);
  const groups = ipv6Groups(text);
  if (groups === undefined) return undefined;
  const bytes = Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** Uses the platform's URL parser, which reads every spelling. */
function ipv6Groups(text: string): number[] | undefined {
  const url = `http://[${text}]`;
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(url)) return undefined;
  const [front, back] = new URL(url).hostname.slice(1, -1).split("::").map((half) =>
    half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16))
  );
  if (back === undefined) return front!;
  return [...front!, ...new Array<number>(8 - front!.length - back.length).fill(0), ...back];
}

/** Formats the output of `parseIpAddress`: dotted decimal for IPv4, RFC 5952 for IPv6. */
export function formatIpAddress(address: Uint8Array): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index) => (address[2 * index]! << 8 | address[2 * index + 1]!).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

export function isInNetwork(address: Uint8Array, network: IpNetwork): boolean {
  if (address.length !== network.address.length) return false;
  return address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, network.bits - 8 * index));
    const mask = 0xff00 >> bits & 0xff;
    return (byte & mask) === (network.address[index]! & mask);
  });
}

/**
 * Parses CIDR notation (RFC 4632, RFC 4291 section 2.3) or a single address. Returns undefined for anything else, for
 * IPv4 in IPv6 notation, and for set bits after the prefix, which are usually a mistake.
 */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [, host, prefix] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = host === undefined ? undefined : parseIpAddress(host);
  if (address === undefined || (address.length === 4 && host!.includes(":"))) return undefined;
  const bits = prefix === undefined ? 8 * address.length : Number(prefix);
  if (bits > 8 * address.length) return undefined;
  const rest = address.some((byte, index) =>
    (byte & 0xff >> Math.min(8, Math.max(0, bits - 8 * index))) !== 0
  );
  return rest ? undefined : { address, bits };
}

/** The networks that are not globally reachable, from the registries of RFC 6890. */
const NOT_PUBLIC: readonly IpNetwork[] = [
  ..."0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24".split(" "),
  ..."192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3".split(" "),
  // IPv6 has one block of public addresses. Parts of it are not public, or contain an IPv4 address (RFC 3056, 4380).
  ..."::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16".split(" "),
].map((text) => parseIpNetwork(text)!);

/** Returns true if an address, parsed by `parseIpAddress`, is globally reachable. */
export function isPublicAddress(address: Uint8Array): boolean {
  return !NOT_PUBLIC.some((network) => isInNetwork(address, network));
}

/** Returns true if every browser resolves the name to this machine (RFC 6761 section 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** The shared network of all invalid addresses. */
const UNKNOWN_NETWORK = "unknown";

/** Returns the network for rate limits: the IPv4 address, or the first 64 bits of IPv6, which one customer has. */
export function networkOf(clientAddress: string): string {
  const address = parseIpAddress(clientAddress.replace(/%.*$/, ""));
  if (address === undefined) return UNKNOWN_NETWORK;
  if (address.length === 4) return formatIpAddress(address);
  const groups = [0, 2, 4, 6].map((at) => (address[at]! << 8 | address[at + 1]!).toString(16));
  return groups.join(":") + "::/64";
}

/**
 * Widens the output of `networkOf`. A customer has an IPv6 /48 or an IPv4 address. A site (IPv6 /48, IPv4 /24) may
 * belong to one company or one rented machine. A region (IPv6 /32, IPv4 /16) is about what one provider has.
 */
export function widen(network: string, to: "customer" | "site" | "region"): string {
  const groups = network.replace("::/64", "").split(":");
  if (groups.length === 4) {
    return to === "region" ? `${groups[0]}:${groups[1]}::/32` : `${groups.slice(0, 3).join(":")}::/48`;
  }
  const bytes = network.split(".");
  if (bytes.length !== 4 || to === "customer") return network;
  return to === "site" ? `${bytes.slice(0, 3).join(".")}.0/24` : `${bytes[0]}.${bytes[1]}.0.0/16`;
}
