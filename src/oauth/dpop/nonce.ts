import { toBase64url, uint32 } from "../../lib/bytes.ts";
import { memoize } from "../../lib/memoize.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";

/** A nonce stays valid for another period, so that the change refuses no client. */
export const NONCE_PERIOD = 2 * MINUTE;

const NONCE_BYTES = 16;

/** The periods of valid nonces. Another process may change the period slightly earlier or later. */
const ACCEPTED = [0, -1, 1];

type NonceVault = Pick<Vault, "keyedHash">;

const known = new WeakMap<NonceVault, Map<number, string>>();

/** Maximum number of cached periods. */
const KEPT = 8;

function nonceOf(vault: NonceVault, period: number): string {
  const nonces = known.get(vault) ?? new Map<number, string>();
  known.set(vault, nonces);
  return memoize(
    nonces,
    period,
    KEPT,
    () => toBase64url(vault.keyedHash("dpop-nonce", uint32(period)).subarray(0, NONCE_BYTES)),
  );
}

function periodOf(now: Instant): number {
  return Math.floor(now / NONCE_PERIOD);
}

/**
 * Returns the current nonce (RFC 9449 sections 8 and 9). It is a MAC of the time, equal in every process with the
 * same seed and unpredictable for others. Of a process that serves alone, it ends with its start. Nothing is stored.
 */
export function presentNonce(vault: NonceVault, now: Instant): string {
  return nonceOf(vault, periodOf(now));
}

/**
 * Returns the time from which no process accepts a nonce, if their clocks differ by less than a period. Returns
 * undefined if it is not valid now. The result for a nonce does not change.
 */
export function endOfNonce(vault: NonceVault, nonce: string, now: Instant): Instant | undefined {
  const period = ACCEPTED.map((offset) => periodOf(now) + offset).find((each) =>
    nonceOf(vault, each) === nonce
  );
  return period === undefined ? undefined : (period + 3) * NONCE_PERIOD;
}
