import { concat, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import { SealError } from "./error.ts";
import type { VaultPrimitives } from "./primitives.ts";

// A sealed blob is version (1 byte), salt (32), ciphertext, tag (16). Each blob has its own key and nonce, drawn from
// the salt, so that the limits of random nonces under one key (NIST SP 800-38D section 8.3) do not arise.
const VERSION = 1;
const SALT_LENGTH = 32;
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + SALT_LENGTH;

/** What a blob is sealed for: part of its key and of its additional data. */
export type SealPurpose =
  | "seed"
  | "outbox"
  | "token-key"
  | "token-answer"
  | "release-key"
  | "signing-request"
  | "idempotent-secret";

/** The key that blobs are sealed under. It stays the caller's, who wipes it. */
export interface SealingKey {
  readonly primitives: VaultPrimitives;
  readonly key: Uint8Array;
}

/** What ties a blob to its place: the purpose and any facts that must be known again to open it. */
export interface SealContext {
  readonly purpose: SealPurpose;
  readonly additionalData: readonly Uint8Array[];
}

function deriveKey(
  { primitives, key }: SealingKey,
  { purpose }: SealContext,
  salt: Uint8Array,
  usage: "encrypt" | "decrypt",
): { key: Promise<CryptoKey>; nonce: Uint8Array<ArrayBuffer> } {
  const info = lengthPrefixed(utf8("holdfast/seal"), Uint8Array.of(VERSION), utf8(purpose));
  const material = primitives.hkdfSha256(key, salt, info, KEY_LENGTH + NONCE_LENGTH);
  try {
    // importKey copies the bytes before it returns its promise (Web Cryptography, section 14.3.9, step 2), so they can
    // be wiped at once.
    const imported = crypto.subtle.importKey("raw", material.subarray(0, KEY_LENGTH), "AES-GCM", false, [
      usage,
    ]);
    return { key: imported, nonce: material.slice(KEY_LENGTH) };
  } finally {
    material.fill(0);
  }
}

function gcm({ purpose, additionalData }: SealContext, nonce: Uint8Array<ArrayBuffer>): AesGcmParams {
  return {
    name: "AES-GCM",
    iv: nonce,
    additionalData: lengthPrefixed(utf8(purpose), Uint8Array.of(VERSION), ...additionalData),
    tagLength: TAG_LENGTH * 8,
  };
}

/** Seals the bytes it is given, of which it has a copy when it returns its promise. For one call. */
export type SealOnce = (plaintext: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Prepares the sealing of one blob, so that the bytes to seal need not be there before they can be taken at once. The
 * key is not needed any more when this returns its promise.
 */
export async function prepareSeal(
  key: SealingKey,
  context: SealContext,
  random: RandomBytes,
): Promise<SealOnce> {
  const salt = random(SALT_LENGTH);
  if (salt.length !== SALT_LENGTH) {
    throw new TypeError("Cannot seal: random source gave a wrong number of bytes");
  }
  const { key: importing, nonce } = deriveKey(key, context, salt, "encrypt");
  const imported = await importing;
  return async (plaintext) => {
    // encrypt copies the bytes before it returns its promise (Web Cryptography, section 14.3.1, step 4). Shared memory,
    // which the type leaves open, it refuses.
    const sealing = crypto.subtle.encrypt(
      gcm(context, nonce),
      imported,
      plaintext as Uint8Array<ArrayBuffer>,
    );
    return concat(Uint8Array.of(VERSION), salt, new Uint8Array(await sealing));
  };
}

/** Encrypts and authenticates bytes with AES-256-GCM under a key of their own. They open only in the same context. */
export async function seal(
  key: SealingKey,
  context: SealContext,
  plaintext: Uint8Array,
  random: RandomBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const sealOnce = await prepareSeal(key, context, random);
  return await sealOnce(plaintext);
}

/**
 * The bytes that `seal` was given under this key and context. Throws `SealError` for anything else. Does not notice an
 * older blob of the same context put back in place of a newer one.
 */
export async function open(
  key: SealingKey,
  context: SealContext,
  sealed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  if (sealed.length < HEADER_LENGTH + TAG_LENGTH) throw new SealError("Cannot open sealed bytes: too short");
  if (sealed[0] !== VERSION) throw new SealError("Cannot open sealed bytes: unknown version");
  const derived = deriveKey(key, context, sealed.slice(1, HEADER_LENGTH), "decrypt");
  const imported = await derived.key;
  try {
    const params = gcm(context, derived.nonce);
    return new Uint8Array(await crypto.subtle.decrypt(params, imported, sealed.slice(HEADER_LENGTH)));
  } catch (cause) {
    throw new SealError("Cannot open sealed bytes: not authentic", { cause });
  }
}
