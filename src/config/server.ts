import { type IpNetwork, parseIpNetwork } from "../lib/ip-address.ts";

/** Reads a port; 0 = any free port. Adds a fault and returns undefined if it is invalid. */
export function readPort(text: string, faults: string[]): number | undefined {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  faults.push("PORT must be a number from 0 to 65535");
  return undefined;
}

export interface MetricsAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** Reads `host:port`, an IPv6 address in brackets. Returns undefined for none, or after adding a fault. */
export function readMetricsAddress(text: string, faults: string[]): MetricsAddress | undefined {
  if (text === "") return undefined;
  const [, ipv6, name, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  faults.push("METRICS_ADDRESS must be a host and a port, for example 127.0.0.1:9464 or [::1]:9464");
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
