import { parseIpNetwork } from "../lib/ip-address.ts";
import type { IpNetwork } from "../lib/ip-address.ts";

/** A port, 0 for any that is free; undefined, after naming the fault, for anything else. */
export function readPort(text: string, faults: string[]): number | undefined {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  faults.push("PORT must be a number from 0 to 65535");
  return undefined;
}

/** More than any machine has use for. */
const MOST_PROCESSES = 64;

/** How many processes serve; undefined, after naming the fault, for anything else. */
export function readProcesses(text: string, faults: string[]): number | undefined {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MOST_PROCESSES) return Number(text);
  faults.push(`PROCESSES must be a number from 1 to ${MOST_PROCESSES}`);
  return undefined;
}

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
