import { combine, split } from "shamir-secret-sharing";
import type { RandomBytes } from "../lib/id.ts";
import type { SealingKeySource } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";

// The key of a recovery slot is random, and split by Shamir's scheme over GF(256). Any `threshold` of the shares give
// it, fewer tell nothing. Without the slot's row the key opens nothing.

const KEY_LENGTH = 32;

/** The most shares of a split: each has a point of its own in GF(256), and none is 0. */
export const MOST_HOLDERS = 255;

/** A recovery key and its shares. The shares are secret. */
export interface RecoveryKey {
  /** Gives copies of the key. */
  readonly source: SealingKeySource;
  readonly shares: readonly Uint8Array[];
  /** Wipes the key and the shares. */
  forget(): void;
}

function sourceOf(key: Uint8Array): SealingKeySource {
  return { source: "recovery", sealingKey: () => Promise.resolve(key.slice()) };
}

/** Draws the key of a recovery slot and splits it. The numbers must be 2 ≤ threshold ≤ shares ≤ 255. */
export async function makeRecoveryKey(
  { threshold, shares: count, random }: {
    readonly threshold: number;
    readonly shares: number;
    readonly random: RandomBytes;
  },
): Promise<RecoveryKey> {
  const key = Uint8Array.from(random(KEY_LENGTH));
  const shares = await split(key, count, threshold);
  return {
    source: sourceOf(key),
    shares,
    forget: () => [key, ...shares].forEach((bytes) => bytes.fill(0)),
  };
}

/**
 * Combines shares to the key of their slot. Wrong or too few shares give another key, which opens nothing. Throws
 * `VaultRefusal` for shares that cannot be of one split.
 */
export async function combineShares(shares: readonly Uint8Array[]): Promise<RecoveryKey> {
  const key = await combine([...shares]).catch((cause: unknown) => {
    throw new VaultRefusal("wrong_sealing_key", "Cannot open vault: the shares do not fit together", {
      cause,
    });
  });
  return {
    source: sourceOf(key),
    shares,
    forget: () => [key, ...shares].forEach((bytes) => bytes.fill(0)),
  };
}
