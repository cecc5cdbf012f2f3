import { constantTimeEqual, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import { TeeStartError } from "../tee/hardware.ts";
import type { SealingKeySource } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import { open, prepareSeal, type SealContext, type SealingKey, type SealOnce } from "./seal.ts";
import type { StoredSlot } from "./seal-slot.ts";
import { Vault, type VaultParts } from "./vault.ts";

export const SEED_VERSION = 1;
const SEALING_KEY_LENGTH = 32;
const SEAL_KEY_ID = lengthPrefixed(utf8("holdfast/seal-key-id/v1"));

/** A provider of a sealing key: a TEE, or a part of one. */
export type KeyGiver = Pick<SealingKeySource, "sealingKey">;

/**
 * Runs the job with a source's sealing key and the key's id, and wipes the key when the job returns. A job that
 * returns a promise must use the key before it returns. Throws `VaultRefusal` if there is no key or an invalid one.
 * Passes on a source's own `TeeStartError`, because its message says what to do.
 */
export async function withSealingKey<T>(
  tee: KeyGiver,
  primitives: VaultPrimitives,
  job: (sealingKey: SealingKey, sealKeyId: string) => T,
): Promise<Awaited<T>> {
  const key = await tee.sealingKey().catch((cause: unknown) => {
    if (cause instanceof TeeStartError) throw cause;
    const message = "Cannot open vault: the trusted execution environment gives no sealing key";
    throw new VaultRefusal("sealing_key_unavailable", message, { cause });
  });
  let made: T;
  try {
    // A key of 32 equal bytes was probably never filled in.
    if (key.length !== SEALING_KEY_LENGTH || key.every((byte) => byte === key[0])) {
      throw new VaultRefusal(
        "sealing_key_unavailable",
        "Cannot open vault: the sealing key is not 32 random bytes",
      );
    }
    made = job({ primitives, key }, primitives.hmacSha256(key, SEAL_KEY_ID).toHex());
  } finally {
    key.fill(0);
  }
  return await made;
}

/** Returns the id of a sealing key, which reveals nothing about the key. Throws `VaultRefusal` if there is none. */
export async function sealKeyIdOf(tee: KeyGiver, primitives: VaultPrimitives): Promise<string> {
  return await withSealingKey(tee, primitives, (_key, sealKeyId) => sealKeyId);
}

function seedContext(version: number, sealKeyId: string): SealContext {
  return { purpose: "seed", additionalData: [utf8(String(version)), utf8(sealKeyId)] };
}

/** A key that the seed is to be sealed under. */
export interface SealTarget {
  readonly sealKeyId: string;
  readonly sealOnce: SealOnce;
}

/** Prepares the sealing of a seed. The caller can wipe the key when this function returns. */
export function prepareSeedSeal(key: SealingKey, sealKeyId: string, random: RandomBytes): SealTarget {
  return { sealKeyId, sealOnce: prepareSeal(key, seedContext(SEED_VERSION, sealKeyId), random) };
}

/**
 * Opens a slot's seed, which the caller wipes. Throws `VaultRefusal` if the slot is of an unknown version, or was
 * changed.
 */
export function unsealSeed(
  key: SealingKey,
  { seal_key_id, version, sealed }: Pick<StoredSlot, "seal_key_id" | "version" | "sealed">,
): Uint8Array {
  if (version !== SEED_VERSION) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed is of an unknown version");
  }
  try {
    return open(key, seedContext(version, seal_key_id), sealed);
  } catch (cause) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed was changed", { cause });
  }
}

/** Returns true if the source's key opens the slot to the seed of this vault. Throws as `withSealingKey`. */
export async function opensSlot(
  source: KeyGiver,
  slot: Pick<StoredSlot, "seal_key_id" | "version" | "sealed">,
  { vault, primitives, random }: Pick<VaultParts, "primitives" | "random"> & { readonly vault: Vault },
): Promise<boolean> {
  return await withSealingKey(source, primitives, (key, id) => {
    if (id !== slot.seal_key_id) return false;
    try {
      const seed = unsealSeed(key, slot);
      try {
        return isSameSeed(vault, new Vault({ seed, primitives, random }));
      } finally {
        seed.fill(0);
      }
    } catch (error) {
      if (error instanceof VaultRefusal) return false;
      throw error;
    }
  });
}

/** Compares a hash keyed by the seed, so that no code holds both seeds at once. */
function isSameSeed(one: Vault, other: Vault): boolean {
  const fingerprint = (vault: Vault): Uint8Array => vault.keyedHash("audit", utf8("same seed"));
  return constantTimeEqual(fingerprint(one), fingerprint(other));
}
