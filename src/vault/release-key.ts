import { concat, fromBase64url, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { KeySeal } from "./token-key.ts";

const KEY_LENGTH = 32;
/** The PKCS #8 prefix of a 32-byte Ed25519 key (RFC 8410). */
const ED25519_PRIVATE = Uint8Array.fromHex("302e020100300506032b657004220420");

export interface SealedReleaseKey {
  readonly workload: string;
  readonly sealed: Uint8Array;
}

/** Parameters of an AES-256-GCM key wrap. The caller uses the key for this one wrap, and wipes it. */
export interface ReleaseWrapping {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly additionalData: Uint8Array<ArrayBuffer>;
}

/** Generates a workload's sealing key and seals it. Wipes its bytes at once. */
export function makeReleaseKey(seal: KeySeal, workload: string, random: RandomBytes): Uint8Array {
  const key = random(KEY_LENGTH);
  try {
    if (key.length !== KEY_LENGTH) {
      throw new TypeError("Cannot create key: random source gave a wrong number of bytes");
    }
    return seal.seal([utf8(workload)], key);
  } finally {
    key.fill(0);
  }
}

/** Encrypts a workload's sealing key under another key. Throws `SealError` for another workload's sealed bytes. */
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

/** A broker's Ed25519 key pair (RFC 8032). */
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

/** Derives the key pair from a 32-byte secret, and wipes the secret. The private key cannot be exported. */
export async function openBrokerIdentity(secret: Uint8Array): Promise<BrokerIdentity> {
  try {
    // The platform reveals the public key only of an exportable private key.
    const { x } = await crypto.subtle.exportKey("jwk", await importIdentity(secret, true));
    const publicKey = fromBase64url(x ?? "");
    if (publicKey?.length !== KEY_LENGTH) throw new TypeError("Cannot open identity: no public key");
    return { privateKey: await importIdentity(secret, false), publicKey };
  } finally {
    secret.fill(0);
  }
}

/** Returns an Ed25519 signature: 64 bytes, deterministic. */
export async function signAsBroker(
  { privateKey }: BrokerIdentity,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, message));
}
