import { createHash, createPrivateKey, createPublicKey, diffieHellman, hkdfSync, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { concat, fromBase64url, lengthPrefixed, toBase64url, utf8 } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { asObject } from "../../lib/object.ts";
import { isConstant } from "../hardware.ts";

// The messages by which a broker releases a sealing key to one trust domain only. Everything that matters is signed
// by the broker, encrypted to the guest or hashed into the quote, so that the channel need not be trusted.

export const CHALLENGE_PATH = "/v1/seal/challenge";
export const RELEASE_PATH = "/v1/seal/release";

/** Bytes of a nonce, an X25519 key, an Ed25519 key and a sealing key. */
export const LENGTH = 32;
/** Bytes of a sealing key with its AES-GCM tag. */
export const CIPHERTEXT_LENGTH = 48;
const SIGNATURE_LENGTH = 64;

const KEY_ID = utf8("holdfast/broker-key-id/v1");
const TRANSCRIPT = utf8("holdfast/seal-release/v1/transcript");
const WRAPPING_KEY = utf8("holdfast/seal-release/v1/wrapping-key");

// Prefixes of 32-byte keys in PKCS #8 and SubjectPublicKeyInfo (RFC 8410).
const X25519_PRIVATE = Uint8Array.fromHex("302e020100300506032b656e04220420");
const X25519_PUBLIC = Uint8Array.fromHex("302a300506032b656e032100");
const ED25519_PUBLIC = Uint8Array.fromHex("302a300506032b6570032100");

/** Claims of a guest that its quote commits to. Bytes are base64url. */
export interface ReleaseClaims {
  /** The broker's single-use nonce. */
  readonly nonce: string;
  readonly brokerKeyId: string;
  readonly epk: string;
  readonly workload: string;
}

export interface Release {
  readonly epkBroker: Uint8Array;
  readonly ciphertext: Uint8Array;
  /** The broker's Ed25519 signature over `transcriptOf`. */
  readonly signature: Uint8Array;
}

export interface EphemeralKey {
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
}

/** Returns true for 1 to 64 lower-case letters, digits, dots and hyphens. */
export function isWorkloadName(text: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{0,63}$/.test(text);
}

/** Decodes base64url. Returns undefined if it is invalid or of another length. */
export function readBytes(text: unknown, length: number): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || text.length > 2 * length) return undefined;
  const bytes = fromBase64url(text);
  return bytes?.length === length ? bytes : undefined;
}

/** Returns a broker's id, base64url. Only its signature authenticates a broker. */
export function brokerKeyIdOf(brokerKey: Uint8Array): string {
  const digest = createHash("sha256").update(lengthPrefixed(KEY_ID, brokerKey)).digest();
  return toBase64url(new Uint8Array(digest));
}

/** Encodes claims as their only valid JSON text. */
export function encodeReleaseClaims({ nonce, brokerKeyId, epk, workload }: ReleaseClaims): string {
  return JSON.stringify({ nonce, brokerKeyId, epk, workload });
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

/** Parses claims. Returns undefined unless the text is exactly what `encodeReleaseClaims` writes. */
export function readReleaseClaims(text: string): ReleaseClaims | undefined {
  const { nonce, brokerKeyId, epk, workload } = parseObject(text);
  if ([nonce, brokerKeyId, epk].some((value) => readBytes(value, LENGTH) === undefined)) return undefined;
  if (typeof workload !== "string" || !isWorkloadName(workload)) return undefined;
  const claims = { nonce, brokerKeyId, epk, workload } as ReleaseClaims;
  return encodeReleaseClaims(claims) === text ? claims : undefined;
}

/** Creates an X25519 key pair (RFC 7748) from 32 random bytes, which it wipes. */
export function makeEphemeralKey(random: RandomBytes): EphemeralKey {
  const secret = random(LENGTH);
  const encoded = concat(X25519_PRIVATE, secret);
  try {
    const privateKey = createPrivateKey({ key: encoded as Buffer, format: "der", type: "pkcs8" });
    const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
    return { privateKey, publicKey: new Uint8Array(spki).slice(X25519_PUBLIC.length) };
  } finally {
    secret.fill(0);
    encoded.fill(0);
  }
}

function importKey(prefix: Uint8Array, key: Uint8Array): KeyObject {
  return createPublicKey({ key: concat(prefix, key) as Buffer, format: "der", type: "spki" });
}

/** Returns undefined if the peer's point is of low order, which makes the secret public (RFC 7748 section 6.1). */
function agree(privateKey: KeyObject, peer: Uint8Array): Uint8Array | undefined {
  try {
    const secret = new Uint8Array(diffieHellman({ privateKey, publicKey: importKey(X25519_PUBLIC, peer) }));
    return isConstant(secret) ? undefined : secret;
  } catch {
    return undefined;
  }
}

/** A single-use AES-256-GCM key and nonce. The additional data is the report data. */
export interface WrappingKey {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
}

/**
 * Derives the wrapping key of both sides by HKDF-SHA-256 of the X25519 secret. The salt is the quote's report data,
 * and the info has the broker's ephemeral key. Returns undefined if the peer's key is of low order. The caller wipes
 * the key.
 */
export function deriveWrappingKey(
  own: EphemeralKey,
  { peer, epkBroker, reportData }: {
    readonly peer: Uint8Array;
    readonly epkBroker: Uint8Array;
    readonly reportData: Uint8Array;
  },
): WrappingKey | undefined {
  const secret = agree(own.privateKey, peer);
  if (secret === undefined) return undefined;
  const info = lengthPrefixed(WRAPPING_KEY, epkBroker);
  const material = new Uint8Array(hkdfSync("sha256", secret, reportData, info, LENGTH + 12));
  secret.fill(0);
  try {
    return { key: material.slice(0, LENGTH), nonce: material.slice(LENGTH) };
  } finally {
    material.fill(0);
  }
}

/** Returns the bytes that the broker signs. The claims contain nonce, workload and the guest's key. */
export function transcriptOf(
  { exp, claims, quote, epkBroker, ciphertext }: {
    /** The challenge's expiry, unchanged. */
    readonly exp: number;
    readonly claims: string;
    readonly quote: Uint8Array;
    readonly epkBroker: Uint8Array;
    readonly ciphertext: Uint8Array;
  },
): Uint8Array<ArrayBuffer> {
  return lengthPrefixed(TRANSCRIPT, utf8(String(exp)), utf8(claims), quote, epkBroker, ciphertext);
}

export function isSignedBy(brokerKey: Uint8Array, transcript: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH) return false;
  try {
    return verify(null, transcript, importKey(ED25519_PUBLIC, brokerKey), signature);
  } catch {
    return false;
  }
}

export function readRelease(value: Readonly<Record<string, unknown>>): Release | undefined {
  const epkBroker = readBytes(value["epkBroker"], LENGTH);
  const ciphertext = readBytes(value["ciphertext"], CIPHERTEXT_LENGTH);
  const signature = readBytes(value["signature"], SIGNATURE_LENGTH);
  if (epkBroker === undefined || ciphertext === undefined || signature === undefined) return undefined;
  return { epkBroker, ciphertext, signature };
}
