import { concat, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { AesGcmParts, VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import { SealError } from "./error.ts";

// A sealed blob is version (1 byte), salt (32), ciphertext, tag (16). Key and nonce of each blob are derived from its
// salt, so that the limits of random nonces under one key (NIST SP 800-38D section 8.3) do not apply.
const VERSION = 1;
const SALT_LENGTH = 32;
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + SALT_LENGTH;

/** The purpose of a blob, part of its key derivation and of its additional data. */
export type SealPurpose =
  | "seed"
  | "outbox"
  | "token-key"
  | "token-answer"
  | "release-key"
  | "signing-request"
  | "idempotent-secret"
  | "mcp-request-state";

/** The key that blob keys are derived from. The caller wipes it. */
export interface SealingKey {
  readonly primitives: VaultPrimitives;
  readonly key: Uint8Array;
}

/** The purpose and facts that a blob is bound to. Opening it requires the same. */
export interface SealContext {
  readonly purpose: SealPurpose;
  readonly additionalData: readonly Uint8Array[];
}

/** Runs the job with the blob's own key, nonce and additional data, and wipes the key when the job returns. */
function withOwnKey<T>(
  { primitives, key }: SealingKey,
  { purpose, additionalData }: SealContext,
  salt: Uint8Array,
  job: (parts: AesGcmParts) => T,
): T {
  const info = lengthPrefixed(utf8("holdfast/seal"), Uint8Array.of(VERSION), utf8(purpose));
  const material = primitives.hkdfSha256(key, salt, info, KEY_LENGTH + NONCE_LENGTH);
  try {
    return job({
      key: material.subarray(0, KEY_LENGTH),
      nonce: material.subarray(KEY_LENGTH),
      additionalData: lengthPrefixed(utf8(purpose), Uint8Array.of(VERSION), ...additionalData),
    });
  } finally {
    material.fill(0);
  }
}

/** Seals one plaintext. Call it once only. */
export type SealOnce = (plaintext: Uint8Array) => Uint8Array<ArrayBuffer>;

/** Prepares the sealing of one blob. The caller can wipe the key when this returns. */
export function prepareSeal(key: SealingKey, context: SealContext, random: RandomBytes): SealOnce {
  const salt = random(SALT_LENGTH);
  if (salt.length !== SALT_LENGTH) {
    throw new TypeError("Cannot seal: random source gave a wrong number of bytes");
  }
  const encrypt = withOwnKey(key, context, salt, (parts) => key.primitives.prepareAesGcm(parts));
  return (plaintext) => concat(Uint8Array.of(VERSION), salt, encrypt(plaintext));
}

/** Encrypts bytes with AES-256-GCM under a key of their own. They open only in the same context. */
export function seal(
  key: SealingKey,
  context: SealContext,
  plaintext: Uint8Array,
  random: RandomBytes,
): Uint8Array<ArrayBuffer> {
  return prepareSeal(key, context, random)(plaintext);
}

/** Opens what `seal` returned for this key and context; else throws `SealError`. Does not detect an older blob. */
export function open(
  key: SealingKey,
  context: SealContext,
  sealed: Uint8Array,
): Uint8Array<ArrayBuffer> {
  if (sealed.length < HEADER_LENGTH + TAG_LENGTH) throw new SealError("Cannot open sealed bytes: too short");
  if (sealed[0] !== VERSION) throw new SealError("Cannot open sealed bytes: unknown version");
  const content = sealed.subarray(HEADER_LENGTH);
  try {
    return withOwnKey(key, context, sealed.subarray(1, HEADER_LENGTH), (parts) => {
      return key.primitives.openAesGcm(parts, content);
    });
  } catch (cause) {
    throw new SealError("Cannot open sealed bytes: not authentic", { cause });
  }
}
