import { formatIpAddress, isInNetwork, parseIpAddress } from "../../lib/ip-address.ts";
import type { IpNetwork } from "../../lib/ip-address.ts";

/** Finds out who sent a request: the peer, or who stands behind it where the peer is a proxy that we trust. */
export type ClientAddressReader = (headers: Headers, peer: string) => string;

/** An address in a list of hops, with the port that some proxies add: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const HOP = /^\[([^\]]*)\](?::\d{1,5})?$|^([^:]*):\d{1,5}$/;

function parseHop(text: string): Uint8Array | undefined {
  const [, bracketed, plain] = HOP.exec(text) ?? [];
  return parseIpAddress(bracketed ?? plain ?? text);
}

/** The elements of a list from the right, without the empty ones (RFC 9110 section 5.6.1). Reads no further than asked. */
function* fromTheRight(list: string): Generator<string> {
  for (let end = list.length; end >= 0;) {
    const comma = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
    const element = list.slice(comma + 1, end).trim();
    if (element !== "") yield element;
    end = comma;
  }
}

/**
 * Reads `X-Forwarded-For` where the peer is in a trusted network, from the right: each trusted proxy adds the address
 * it saw, so the first that is no trusted proxy is the client, and what stands left of it is the client's own word. At
 * something that is no address it stops: who passed that on counts. Several lines are one list. `X-Forwarded-Proto`,
 * `X-Forwarded-Host` and `Forwarded` are not looked at: `BASE_URL` alone says what our origin is.
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
