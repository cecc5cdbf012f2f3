const IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** All addresses whose first `bits` bits are those of `address`. */
export interface IpNetwork {
  /** 4 bytes, or 16. */
  readonly address: Uint8Array;
  readonly bits: number;
}

/**
 * The 4 bytes of an IPv4 address in dotted decimal, or the 16 of an IPv6 address in any spelling; of an IPv4 address
 * that is written as an IPv6 one (`::ffff:192.0.2.1`), the 4. Undefined for everything else, a zone (`%eth0`) included.
 */
export function parseIpAddress(text: string): Uint8Array | undefined {
  if (IPV4.test(text)) return Uint8Array.from(text.split("."), Number);
  const groups = ipv6Groups(text);
  if (groups === undefined) return undefined;
  const bytes = Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** The eight groups of an IPv6 address in any spelling; the platform's URL parser knows them all. */
function ipv6Groups(text: string): number[] | undefined {
  const url = `http://[${text}]`;
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(url)) return undefined;
  const [front, back] = new URL(url).hostname.slice(1, -1).split("::").map((half) =>
    half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16))
  );
  if (back === undefined) return front!;
  return [...front!, ...new Array<number>(8 - front!.length - back.length).fill(0), ...back];
}

/** The one spelling of an address: dotted decimal, or as RFC 5952 writes IPv6. Takes what `parseIpAddress` gives. */
export function formatIpAddress(address: Uint8Array): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index) => (address[2 * index]! << 8 | address[2 * index + 1]!).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** Whether an address lies in a network. IPv4 and IPv6 never meet. */
export function isInNetwork(address: Uint8Array, network: IpNetwork): boolean {
  if (address.length !== network.address.length) return false;
  return address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, network.bits - 8 * index));
    const mask = 0xff00 >> bits & 0xff;
    return (byte & mask) === (network.address[index]! & mask);
  });
}

/**
 * A network in CIDR notation (RFC 4632, RFC 4291 section 2.3), or a single address. Undefined for everything else, for
 * an IPv4 network written as an IPv6 one, and where bits behind the prefix are set, which is a mistake more often than
 * it is meant.
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
