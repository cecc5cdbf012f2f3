import { isConstant } from "../tee/hardware.ts";
import type { Broker } from "../tee/broker/broker-client.ts";
import { isWorkloadName, LENGTH, readBytes } from "../tee/broker/broker-protocol.ts";

type Faults = string[];

/** What of the configuration says where the sealing key comes from. */
export interface KeySettings {
  readonly tee: string | undefined;
  readonly sealingKeyFile: string | undefined;
  readonly brokerUrl: string | undefined;
  readonly brokerKey: Uint8Array | undefined;
  readonly brokerWorkload: string | undefined;
}

/** Where the broker listens: an http or https origin. */
export function readBrokerUrl(text: string, faults: Faults): string | undefined {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (isHttp && url.origin === text) return text;
  faults.push(
    "TEE_BROKER_URL must be an http or https origin: scheme, host and port, no path, no final slash",
  );
  return undefined;
}

/** Where a broker fetches collateral: an http or https URL without query, fragment or final slash. */
export function readPccsUrl(text: string, faults: Faults): string | undefined {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (isHttp && url.search === "" && url.hash === "" && url.username === "" && !text.endsWith("/")) {
    return text;
  }
  faults.push("BROKER_PCCS_URL must be an http or https URL without query or final slash");
  return undefined;
}

/** The broker's Ed25519 key as `holdfast broker` prints it. One of zeros is a placeholder that anybody could sign for. */
export function readBrokerKey(text: string, faults: Faults): Uint8Array | undefined {
  if (text === "") return undefined;
  const key = readBytes(text, LENGTH);
  if (key !== undefined && !isConstant(key)) return key;
  faults.push("TEE_BROKER_KEY must be the key that `holdfast broker` prints");
  return undefined;
}

/** The name under which a broker knows this service. */
export function readWorkload(text: string, faults: Faults): string | undefined {
  if (isWorkloadName(text)) return text;
  faults.push("TEE_BROKER_WORKLOAD must be 1 to 64 lower-case letters, digits, dots and hyphens");
  return undefined;
}

/** A rule about several settings at once: whether it is broken, and what to do. */
type KeyRule = readonly [isBroken: (settings: KeySettings) => boolean, fault: string];

const RULES: readonly KeyRule[] = [
  [
    ({ sealingKeyFile, brokerUrl }) => sealingKeyFile !== undefined && brokerUrl !== undefined,
    "TEE_SEALING_KEY_FILE and TEE_BROKER_URL exclude each other: there is one sealing key; unset one of them",
  ],
  [
    ({ tee, sealingKeyFile, brokerUrl }) =>
      tee === "tdx" && sealingKeyFile === undefined && brokerUrl === undefined,
    "TEE_SEALING_KEY_FILE or TEE_BROKER_URL must be set for TEE=tdx: TDX has no sealing key of its own",
  ],
  [
    ({ tee, sealingKeyFile }) => tee === "none" && sealingKeyFile === undefined,
    "TEE_SEALING_KEY_FILE must be set for TEE=none",
  ],
  [
    // Not with `auto` either: where the kernel's interface is missing, that would be a simulated TEE in silence.
    ({ tee, brokerUrl }) => brokerUrl !== undefined && tee !== "tdx",
    "TEE_BROKER_URL is for TEE=tdx alone: unset it, or set TEE=tdx",
  ],
];

/**
 * The broker of a configuration, undefined when it names none. Adds a fault for each setting that lacks its companion
 * or contradicts another.
 */
export function readBroker(settings: KeySettings, isKeyGiven: boolean, faults: Faults): Broker | undefined {
  faults.push(...RULES.filter(([isBroken]) => isBroken(settings)).map(([, fault]) => fault));
  const { brokerUrl: url, brokerKey: publicKey, brokerWorkload: workload } = settings;
  if (url !== undefined && !isKeyGiven) {
    faults.push("TEE_BROKER_KEY must be set beside TEE_BROKER_URL: whoever answers there is not trusted");
  }
  if (url === undefined || publicKey === undefined || workload === undefined) return undefined;
  return { url, publicKey, workload };
}
