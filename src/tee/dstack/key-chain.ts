import { keccak_256 } from "@noble/hashes/sha3.js";
import { getPublicKey, Point, recoverPublicKey } from "@noble/secp256k1";
import { concat, constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { TeeStartError } from "../hardware.ts";
import type { VerifiedIssue } from "../tee.ts";

/** The KMS that a sealing key must come from, and for which application. */
export interface KmsPin {
  /** The compressed secp256k1 key of its root: `k256_pubkey` of the KMS's metadata and of its contract. */
  readonly root: Uint8Array;
  /** 20 bytes. Undefined: whichever application the agent names, which on a shared KMS may be anybody's. */
  readonly appId: Uint8Array | undefined;
}

/** A key as `GetKey` answers it, with what is said of it. */
export interface IssuedKey {
  readonly key: Uint8Array;
  readonly purpose: string;
  /** Two signatures of 65 bytes: r, s and the recovery number. Anything else is refused. */
  readonly chain: readonly Uint8Array[];
  /** The application in whose name the KMS is said to have issued it. */
  readonly appId: Uint8Array | undefined;
}

/** Whether the bytes are a point on secp256k1 in compressed form (SEC 1, section 2.3.3). */
export function isCompressedPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 33) return false;
  try {
    Point.fromBytes(bytes).assertValidity();
    return true;
  } catch {
    return false;
  }
}

function refuse(reason: string): TeeStartError {
  return new TeeStartError("key_source", `Cannot use the guest agent: ${reason}`);
}

/** Who signed the Keccak-256 hash of a message; undefined for what is no signature. */
function signerOf(message: Uint8Array, signature: Uint8Array | undefined): Uint8Array | undefined {
  if (signature?.length !== 65) return undefined;
  // The library has the recovery number first, dstack last.
  const recovered = concat(signature.subarray(64), signature.subarray(0, 64));
  try {
    return recoverPublicKey(recovered, keccak_256(message), { prehash: false });
  } catch {
    return undefined;
  }
}

/**
 * Verifies the signature chain of a key (dstack, `GetKey`): the application's key signed the purpose and the derived
 * key's public key, and the pinned root signed the application's id and key. Gives what that proves. Throws
 * `TeeStartError` (`key_source`) otherwise, and when the key is another application's than the pinned one.
 *
 * Proves that the KMS issued this key for that application, not that nobody else has it: whoever governs the
 * application or the KMS can.
 */
export function verifyKeyChain({ key, purpose, chain, appId }: IssuedKey, pin: KmsPin): VerifiedIssue {
  if (appId === undefined) throw refuse("it does not name the application whose key it gives");
  if (pin.appId !== undefined && !constantTimeEqual(appId, pin.appId)) {
    throw refuse(`it is of the application ${appId.toHex()}, not of the pinned one (TEE_DSTACK_APP_ID)`);
  }
  const derived = getPublicKey(key, true).toHex();
  const [byApplication, byRoot, ...rest] = chain;
  const applicationKey = signerOf(utf8(`${purpose}:${derived}`), byApplication);
  if (applicationKey === undefined || rest.length > 0) throw refuse("its key has no signature chain");
  const root = signerOf(concat(utf8("dstack-kms-issued:"), appId, applicationKey), byRoot);
  if (root === undefined || !constantTimeEqual(root, pin.root)) {
    throw refuse("the pinned root (TEE_DSTACK_KMS_ROOT) did not issue its key");
  }
  return { root: root.toHex(), appId: appId.toHex() };
}
