import { parseIpNetwork } from "../lib/ip-address.ts";
import type { IpNetwork } from "../lib/ip-address.ts";

/**
 * `TRUSTED_PROXIES`: networks in CIDR notation or single addresses, separated by commas or spaces. A network of everybody
 * is refused: then everybody could choose the address that limits count for.
 */
export function readTrustedProxies(text: string, faults: string[]): readonly IpNetwork[] {
  const networks: IpNetwork[] = [];
  for (const word of text.split(/[\s,]+/).filter((word) => word !== "")) {
    const network = parseIpNetwork(word);
    if (network === undefined) {
      faults.push(
        `TRUSTED_PROXIES must be networks such as 10.0.0.0/8 or fd00::/8, or single addresses; ${word} is none`,
      );
    } else if (network.bits === 0) {
      faults.push(`TRUSTED_PROXIES must not be everybody: ${word} lets every client choose its address`);
    } else {
      networks.push(network);
    }
  }
  return networks;
}
