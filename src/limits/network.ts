const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** Where an address that is none counts: all of them together. */
const UNKNOWN_NETWORK = "unknown";

/**
 * The network that limits count for: an IPv4 address as it is, of an IPv6 address its first 64 bits, which one
 * customer has. An IPv4 address written as an IPv6 one is the IPv4 address.
 */
export function networkOf(clientAddress: string): string {
  if (IPV4.test(clientAddress)) return clientAddress;
  const groups = ipv6Groups(clientAddress.replace(/%.*$/, ""));
  if (groups === undefined) return UNKNOWN_NETWORK;
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]).join(".");
  return groups.slice(0, 4).map((group) => group.toString(16)).join(":") + "::/64";
}

/** The eight groups of an IPv6 address in any spelling; the platform's URL parser knows them all. */
function ipv6Groups(text: string): number[] | undefined {
  const url = `http://[${text}]`;
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(url)) return undefined;
  const [front, back] = new URL(url).hostname.slice(1, -1).split("::").map((half) =>
    half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16))
  );
  if (back === undefined) return front!;
  return [...front!, ...new Array<number>(8 - front!.length - back.length).fill(0), ...back];
}
