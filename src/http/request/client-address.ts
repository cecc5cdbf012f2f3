import { formatIpAddress, type IpNetwork, isInNetwork, parseIpAddress } from "../../lib/ip-address.ts";

/** A function that returns the client's address: the peer's, or the one that a trusted proxy reports. */
export type ClientAddressReader = (headers: Headers, peer: string) => string;

/** A list element with the port that some proxies add: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const HOP = /^\[([^\]]*)\](?::\d{1,5})?$|^([^:]*):\d{1,5}$/;

function parseHop(text: string): Uint8Array | undefined {
  const [, bracketed, plain] = HOP.exec(text) ?? [];
  return parseIpAddress(bracketed ?? plain ?? text);
}

/** Yields the elements of a list from right to left, without empty ones (RFC 9110 section 5.6.1). Parses lazily. */
function* fromTheRight(list: string): Generator<string> {
  for (let end = list.length; end >= 0;) {
    const comma = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
    const element = list.slice(comma + 1, end).trim();
    if (element !== "") yield element;
    end = comma;
  }
}

/**
 * Creates a reader of `X-Forwarded-For`, which counts only if the peer is in a trusted network. Each trusted proxy
 * appends the address it saw. The first untrusted address from the right is therefore the client, and the client
 * controls what is left of it. Stops at a malformed element and returns the address of the proxy that forwarded it.
 * Several header lines form one list. Ignores `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`: `BASE_URL` alone
 * defines the origin.
 */
export function createClientAddressReader(trusted: readonly IpNetwork[]): ClientAddressReader {
  const isTrusted = (address: Uint8Array): boolean =>
    trusted.some((network) => isInNetwork(address, network));
  if (trusted.length === 0) return (_headers, peer) => peer;
  return (headers, peer) => {
    let client = parseIpAddress(peer);
    if (client === undefined) return peer;
    for (const hop of isTrusted(client) ? fromTheRight(headers.get("x-forwarded-for") ?? "") : []) {
      const address = parseHop(hop);
      if (address === undefined) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return formatIpAddress(client);
  };
}
