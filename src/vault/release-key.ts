import { concat, fromBase64url, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { KeySeal } from "./token-key.ts";

const KEY_LENGTH = 32;
/** RFC 8410: what stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const ED25519_PRIVATE = Uint8Array.fromHex("302e020100300506032b657004220420");

/** A sealing key that a broker keeps for a workload, under the vault's seal. */
export interface SealedReleaseKey {
  readonly workload: string;
  readonly sealed: Uint8Array;
}

/** What a key is wrapped under: AES-256-GCM. Whoever hands it in uses it for this one key, and wipes it. */
export interface ReleaseWrapping {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly additionalData: Uint8Array<ArrayBuffer>;
}

/** Draws a workload's sealing key and seals it. Its bytes are wiped at once. */
export function makeReleaseKey(seal: KeySeal, workload: string, random: RandomBytes): Uint8Array {
  const key = random(KEY_LENGTH);
  try {
    if (key.length !== KEY_LENGTH) {
      throw new TypeError("Cannot make key: random source gave a wrong number of bytes");
    }
    return seal.seal([utf8(workload)], key);
  } finally {
    key.fill(0);
  }
}

/**
 * A workload's sealing key from under the vault's seal to under another key. Throws `SealError` for sealed bytes not
 * its own.
 */
export async function wrapReleaseKey(
  seal: KeySeal,
  { workload, sealed }: SealedReleaseKey,
  { key, nonce, additionalData }: ReleaseWrapping,
): Promise<Uint8Array> {
  const wrapping = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const opened = seal.open([utf8(workload)], sealed);
  try {
    const parameters = { name: "AES-GCM", iv: nonce, additionalData, tagLength: 128 };
    return new Uint8Array(await crypto.subtle.encrypt(parameters, wrapping, opened));
  } finally {
    opened.fill(0);
  }
}

/** Who a broker is: an Ed25519 key (RFC 8032). */
export interface BrokerIdentity {
  readonly privateKey: CryptoKey;
  readonly publicKey: Uint8Array;
}

async function importIdentity(secret: Uint8Array, isExtractable: boolean): Promise<CryptoKey> {
  const pkcs8 = concat(ED25519_PRIVATE, secret);
  try {
    return await crypto.subtle.importKey("pkcs8", pkcs8, { name: "Ed25519" }, isExtractable, ["sign"]);
  } finally {
    pkcs8.fill(0);
  }
}

/** The identity over a 32-byte secret, which is wiped. The private key that is kept cannot be exported. */
export async function openBrokerIdentity(secret: Uint8Array): Promise<BrokerIdentity> {
  try {
    // The platform tells the public half only of a key that it would export.
    const { x } = await crypto.subtle.exportKey("jwk", await importIdentity(secret, true));
    const publicKey = fromBase64url(x ?? "");
    if (publicKey?.length !== KEY_LENGTH) throw new TypeError("Cannot open identity: no public key");
    return { privateKey: await importIdentity(secret, false), publicKey };
  } finally {
    secret.fill(0);
  }
}

/** An Ed25519 signature: 64 bytes, deterministic. */
export async function signAsBroker(
  { privateKey }: BrokerIdentity,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, message));
}
