import type { Tables } from "../db/schema/schema.ts";
import { toBase64url } from "../lib/bytes.ts";
import { type Instant, MINUTE, SECOND } from "../lib/time.ts";
import { listRows } from "../store/read.ts";
import { consumeRow, insertRow, removeRow } from "../store/write.ts";
import { brokerKeyIdOf, LENGTH } from "../tee/broker/broker-protocol.ts";
import { refuseChallenge } from "./refuse-release.ts";
import type { BrokerServices } from "./services.ts";

/** Lifetime of a nonce: several times as long as a kernel waits for its host to make a quote. */
export const CHALLENGE_LIFETIME = 3 * MINUTE;

/** Maximum of pending nonces. The global rate limit is met first. */
export const MOST_CHALLENGES = 2000;

export interface ReleaseChallenge {
  readonly nonce: string;
  /** Expiry in seconds since 1970. */
  readonly exp: number;
  readonly brokerKeyId: string;
}

function expOf({ expires_at }: Pick<Tables["release_challenge"], "expires_at">): number {
  return Math.floor(expires_at / SECOND);
}

/**
 * Issues a single-use nonce for a workload of the allow-list. Any client may ask: a nonce grants nothing. Throws
 * `release_refused`, or `unavailable` if too many are pending.
 */
export async function issueReleaseChallenge(
  services: BrokerServices,
  { workload, network, now }: { readonly workload: string; readonly network: string; readonly now: Instant },
): Promise<ReleaseChallenge> {
  const { groupCommit, limits, authority, random, vault, readAllowList } = services;
  await groupCommit.run(async (tx) => {
    await limits.take(tx, "release_challenge", network, now);
    await limits.take(tx, "release_challenge_global", "", now);
  });
  const { workloads } = await readAllowList();
  if (!workloads.has(workload)) {
    return await refuseChallenge(services, "unknown_workload", { workload: null, now });
  }
  const nonce = toBase64url(random(LENGTH));
  const row = { nonce, workload, created_at: now, expires_at: now + CHALLENGE_LIFETIME };
  const isStored = await groupCommit.run(async (tx) => {
    const all = await listRows(tx, authority, "release_challenge", "all", {});
    const expired = all.filter(({ expires_at }) => expires_at <= now);
    for (const challenge of expired) await removeRow(tx, authority, "release_challenge", challenge);
    if (all.length - expired.length >= MOST_CHALLENGES) return false;
    await insertRow(tx, authority, "release_challenge", row);
    return true;
  });
  if (!isStored) return await refuseChallenge(services, "too_many_challenges", { workload, now });
  return { nonce, exp: expOf(row), brokerKeyId: brokerKeyIdOf(await vault.brokerPublicKey()) };
}

/** The outcome of presenting a nonce. Every outcome except `challenge_absent` deleted it. */
export type ConsumedChallenge =
  | { readonly outcome: "valid"; readonly exp: number }
  | { readonly outcome: "challenge_absent" | "challenge_expired" | "challenge_of_other_workload" };

/**
 * Deletes a nonce in one statement and returns whether this workload may use it now. Of concurrent callers only one
 * gets it. A row that the broker did not write counts as absent.
 */
export async function consumeReleaseChallenge(
  { db, authority }: BrokerServices,
  { nonce, workload, now }: { readonly nonce: string; readonly workload: string; readonly now: Instant },
): Promise<ConsumedChallenge> {
  const row = await consumeRow(db, authority, "release_challenge", "byNonce", { nonce });
  if (row === undefined) return { outcome: "challenge_absent" };
  if (row.workload !== workload) return { outcome: "challenge_of_other_workload" };
  // A creation time in the future means that the clock was set back.
  if (row.expires_at <= now || row.created_at > now + CHALLENGE_LIFETIME) {
    return { outcome: "challenge_expired" };
  }
  return { outcome: "valid", exp: expOf(row) };
}
