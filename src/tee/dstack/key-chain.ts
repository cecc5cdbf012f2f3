import { keccak_256 } from "@noble/hashes/sha3.js";
import { getPublicKey, Point, recoverPublicKey } from "@noble/secp256k1";
import { concat, constantTimeEqual, lengthPrefixed, utf8 } from "../../lib/bytes.ts";
import { TeeStartError } from "../hardware.ts";
import type { VerifiedIssue } from "../tee.ts";

export interface KmsPin {
  /** Compressed secp256k1 root key: `k256_pubkey` in the KMS's metadata and contract. */
  readonly root: Uint8Array;
  /** 20 bytes; undefined = the application that the agent names, which on a shared KMS may be an attacker's. */
  readonly appId: Uint8Array | undefined;
}

/** A key from `GetKey` with its unverified origin. */
export interface IssuedKey {
  readonly key: Uint8Array;
  /** Returns the bytes that the application's key signs about a derived public key. */
  readonly claimOf: (publicKey: Uint8Array) => Uint8Array;
  /** Two signatures of 65 bytes: r, s and the recovery number. */
  readonly chain: readonly Uint8Array[];
  readonly appId: Uint8Array | undefined;
}

/** Returns the claim of API v0: the purpose and the public key in hex. */
export function claimOfV0(purpose: string, publicKey: Uint8Array): Uint8Array {
  return utf8(`${purpose}:${publicKey.toHex()}`);
}

/** Returns the claim of API v1 (guest API v1, section Link 0): four fields, each after its length. */
export function claimOfV1(
  { algorithm, domain, publicKey }: {
    readonly algorithm: string;
    readonly domain: string;
    readonly publicKey: Uint8Array;
  },
): Uint8Array {
  return lengthPrefixed(utf8("dstack-guest-v1-key-claim"), utf8(algorithm), utf8(domain), publicKey);
}

/** Returns true if the bytes are a compressed point on secp256k1 (SEC 1, section 2.3.3). */
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

/** Recovers the signer of a message's Keccak-256 hash. Returns undefined if the signature is invalid. */
function signerOf(message: Uint8Array, signature: Uint8Array | undefined): Uint8Array | undefined {
  if (signature?.length !== 65) return undefined;
  // The library expects the recovery number first, dstack puts it last.
  const recovered = concat(signature.subarray(64), signature.subarray(0, 64));
  try {
    return recoverPublicKey(recovered, keccak_256(message), { prehash: false });
  } catch {
    return undefined;
  }
}

/**
 * Verifies the signature chain of a key (dstack, `GetKey`). The application's key signs a claim of the derived public
 * key; the pinned root signs the application's id and key. Throws `TeeStartError` (`key_source`) if the chain
 * is invalid or the application is not the pinned one.
 *
 * Proves that the KMS issued this key for that application. Does not prove that the key is exclusive: the owners of
 * the application and of the KMS can obtain it.
 */
export function verifyKeyChain({ key, claimOf, chain, appId }: IssuedKey, pin: KmsPin): VerifiedIssue {
  if (appId === undefined) throw refuse("it does not name the application of the key");
  if (pin.appId !== undefined && !constantTimeEqual(appId, pin.appId)) {
    throw refuse(`it belongs to the application ${appId.toHex()}, not to the pinned one (TEE_DSTACK_APP_ID)`);
  }
  const [byApplication, byRoot, ...rest] = chain;
  const applicationKey = signerOf(claimOf(getPublicKey(key, true)), byApplication);
  if (applicationKey === undefined || rest.length > 0) throw refuse("its key has no signature chain");
  const root = signerOf(concat(utf8("dstack-kms-issued:"), appId, applicationKey), byRoot);
  if (root === undefined || !constantTimeEqual(root, pin.root)) {
    throw refuse("the pinned root (TEE_DSTACK_KMS_ROOT) did not issue its key");
  }
  return { root: root.toHex(), appId: appId.toHex() };
}
