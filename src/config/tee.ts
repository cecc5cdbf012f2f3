import type { Broker } from "../tee/broker/broker-client.ts";
import { isWorkloadName, LENGTH, readBytes } from "../tee/broker/broker-protocol.ts";
import { isCompressedPoint, type KmsPin } from "../tee/dstack/key-chain.ts";
import { isConstant } from "../tee/hardware.ts";

type Faults = string[];

export interface KeySettings {
  readonly tee: string | undefined;
  readonly sealingKeyFile: string | undefined;
  readonly brokerUrl: string | undefined;
  readonly brokerKey: Uint8Array | undefined;
  readonly brokerWorkload: string | undefined;
}

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

/** Reads the http or https URL that a broker fetches collateral from, without query, fragment or final slash. */
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

/** Rejects a constant such as all zeros, a placeholder that any attacker could sign for. */
export function readBrokerKey(text: string, faults: Faults): Uint8Array | undefined {
  if (text === "") return undefined;
  const key = readBytes(text, LENGTH);
  if (key !== undefined && !isConstant(key)) return key;
  faults.push("TEE_BROKER_KEY must be the key that `holdfast broker` prints");
  return undefined;
}

export function readWorkload(text: string, faults: Faults): string | undefined {
  if (isWorkloadName(text)) return text;
  faults.push("TEE_BROKER_WORKLOAD must be 1 to 64 lower-case letters, digits, dots and hyphens");
  return undefined;
}

type KeyRule = readonly [isBroken: (settings: KeySettings) => boolean, fault: string];

const RULES: readonly KeyRule[] = [
  [
    ({ sealingKeyFile, brokerUrl }) => sealingKeyFile !== undefined && brokerUrl !== undefined,
    "TEE_SEALING_KEY_FILE and TEE_BROKER_URL exclude each other, because there is one sealing key; unset one of them",
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
    // Also rejects `auto`: without the kernel's interface it would silently choose the simulated TEE.
    ({ tee, brokerUrl }) => brokerUrl !== undefined && tee !== "tdx",
    "TEE_BROKER_URL is only for TEE=tdx: unset it, or set TEE=tdx",
  ],
];

/** Returns the configured broker, or undefined. Adds a fault for each missing or contradictory setting. */
export function readBroker(settings: KeySettings, isKeyGiven: boolean, faults: Faults): Broker | undefined {
  faults.push(...RULES.filter(([isBroken]) => isBroken(settings)).map(([, fault]) => fault));
  const { brokerUrl: url, brokerKey: publicKey, brokerWorkload: workload } = settings;
  if (url !== undefined && !isKeyGiven) {
    faults.push("TEE_BROKER_KEY must be set with TEE_BROKER_URL: it verifies the broker that answers there");
  }
  if (url === undefined || publicKey === undefined || workload === undefined) return undefined;
  return { url, publicKey, workload };
}

type DstackFaults = string[];

function readHex(text: string, length: number): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  const isHex = digits.length === 2 * length && /^[0-9a-fA-F]*$/.test(digits);
  return isHex ? Uint8Array.fromHex(digits) : undefined;
}

export function readKmsRoot(text: string, faults: DstackFaults): Uint8Array | undefined {
  if (text === "") return undefined;
  const root = readHex(text, 33);
  if (root !== undefined && isCompressedPoint(root)) return root;
  faults.push("TEE_DSTACK_KMS_ROOT must be the KMS's k256_pubkey: a compressed secp256k1 key, 66 hex digits");
  return undefined;
}

export function readAppId(text: string, faults: DstackFaults): Uint8Array | undefined {
  if (text === "") return undefined;
  const appId = readHex(text, 20);
  if (appId === undefined) faults.push("TEE_DSTACK_APP_ID must be the application's id: 40 hex digits");
  return appId;
}

export interface KmsSettings {
  readonly tee: string | undefined;
  readonly root: Uint8Array | undefined;
  readonly appId: Uint8Array | undefined;
}

/** `given` names the variables that are set, valid or not. */
export function readKmsPin(
  { tee, root, appId }: KmsSettings,
  given: Readonly<Record<string, string | undefined>>,
  faults: DstackFaults,
): KmsPin | undefined {
  const isPinned = Boolean(given["TEE_DSTACK_KMS_ROOT"]);
  // Also rejects `auto`: without the socket it would silently choose another TEE.
  if (isPinned && tee !== "dstack") {
    faults.push("TEE_DSTACK_KMS_ROOT is only for TEE=dstack: unset it, or set TEE=dstack");
  }
  if (given["TEE_DSTACK_APP_ID"] && !isPinned) {
    faults.push(
      "TEE_DSTACK_KMS_ROOT must be set with TEE_DSTACK_APP_ID: without it the key's origin is not verified",
    );
  }
  return root === undefined ? undefined : { root, appId };
}
