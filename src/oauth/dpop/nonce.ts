import { toBase64url, uint32 } from "../../lib/bytes.ts";
import { recall } from "../../lib/memoize.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";

/** How long a nonce is the present one. It counts for as long again, so that nobody is refused at the change. */
export const NONCE_PERIOD = 2 * MINUTE;

const NONCE_BYTES = 16;

/** Which periods' nonces count, from the present one: another process may not have changed over yet, or just did. */
const ACCEPTED = [0, -1, 1];

type NonceVault = Pick<Vault, "keyedHash">;

/** Nonces of late, by their periods: each proof and each answer asks for the same one. */
const known = new WeakMap<NonceVault, Map<number, string>>();

/** Periods that are kept; when there are more, all are reckoned again. */
const KEPT = 8;

function nonceOf(vault: NonceVault, period: number): string {
  const nonces = known.get(vault) ?? new Map<number, string>();
  known.set(vault, nonces);
  return recall(
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
 * The nonce that clients are given now (RFC 9449 sections 8 and 9). Nothing is stored: it is a MAC of the time, the same
 * in every process over one seed, and nobody else can tell the next.
 */
export function presentNonce(vault: NonceVault, now: Instant): string {
  return nonceOf(vault, periodOf(now));
}

/**
 * From when on no process takes a nonce any more, if their clocks differ by less than a period; undefined for one that
 * does not count now. The same whenever it is asked.
 */
export function endOfNonce(vault: NonceVault, nonce: string, now: Instant): Instant | undefined {
  const period = ACCEPTED.map((offset) => periodOf(now) + offset).find((each) =>
    nonceOf(vault, each) === nonce
  );
  return period === undefined ? undefined : (period + 3) * NONCE_PERIOD;
}
