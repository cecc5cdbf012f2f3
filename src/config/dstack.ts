import { isCompressedPoint } from "../tee/dstack/key-chain.ts";
import type { KmsPin } from "../tee/dstack/key-chain.ts";

type Faults = string[];

function readHex(text: string, length: number): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  const isHex = digits.length === 2 * length && /^[0-9a-fA-F]*$/.test(digits);
  return isHex ? Uint8Array.fromHex(digits) : undefined;
}

/** The root key of the KMS: what its metadata and its contract call `k256_pubkey`. */
export function readKmsRoot(text: string, faults: Faults): Uint8Array | undefined {
  if (text === "") return undefined;
  const root = readHex(text, 33);
  if (root !== undefined && isCompressedPoint(root)) return root;
  faults.push("TEE_DSTACK_KMS_ROOT must be the KMS's k256_pubkey: a compressed secp256k1 key, 66 hex digits");
  return undefined;
}

/** The application whose key is taken. */
export function readAppId(text: string, faults: Faults): Uint8Array | undefined {
  if (text === "") return undefined;
  const appId = readHex(text, 20);
  if (appId === undefined) faults.push("TEE_DSTACK_APP_ID must be the application's id: 40 hex digits");
  return appId;
}

/** What of the configuration says whose key is taken of a guest agent, each as it was read. */
export interface KmsSettings {
  readonly tee: string | undefined;
  readonly root: Uint8Array | undefined;
  readonly appId: Uint8Array | undefined;
}

/**
 * The KMS of a configuration, undefined when none is pinned. Adds a fault for each setting that lacks its companion or
 * contradicts another; `given` says which are set at all.
 */
export function readKmsPin(
  { tee, root, appId }: KmsSettings,
  given: Readonly<Record<string, string | undefined>>,
  faults: Faults,
): KmsPin | undefined {
  const isPinned = Boolean(given["TEE_DSTACK_KMS_ROOT"]);
  // Not with `auto` either: where the socket is missing, that would be another TEE in silence.
  if (isPinned && tee !== "dstack") {
    faults.push("TEE_DSTACK_KMS_ROOT is for TEE=dstack alone: unset it, or set TEE=dstack");
  }
  if (given["TEE_DSTACK_APP_ID"] && !isPinned) {
    faults.push(
      "TEE_DSTACK_KMS_ROOT must be set beside TEE_DSTACK_APP_ID: nothing else proves whose key it is",
    );
  }
  return root === undefined ? undefined : { root, appId };
}
