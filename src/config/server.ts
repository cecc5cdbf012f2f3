import { type IpNetwork, parseIpNetwork } from "../lib/ip-address.ts";

/** Reads a port; 0 = any free port. Adds a fault and returns undefined if it is invalid. */
export function readPort(text: string, faults: string[]): number | undefined {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  faults.push("PORT must be a number from 0 to 65535");
  return undefined;
}

const MOST_PROCESSES = 64;

export function readProcesses(text: string, faults: string[]): number | undefined {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MOST_PROCESSES) return Number(text);
  faults.push(`PROCESSES must be a number from 1 to ${MOST_PROCESSES}`);
  return undefined;
}

/** Reads CIDR networks or addresses. Rejects /0, which would let every client choose the address that is counted. */
export function readTrustedProxies(text: string, faults: string[]): readonly IpNetwork[] {
  const networks: IpNetwork[] = [];
  for (const word of text.split(/[\s,]+/).filter((word) => word !== "")) {
    const network = parseIpNetwork(word);
    if (network === undefined) {
      faults.push(
        `TRUSTED_PROXIES must be networks such as 10.0.0.0/8 or fd00::/8, or single addresses; ${word} is neither`,
      );
    } else if (network.bits === 0) {
      faults.push(
        `TRUSTED_PROXIES must not include all addresses: ${word} lets every client choose its address`,
      );
    } else {
      networks.push(network);
    }
  }
  return networks;
}
