import { secretMatches } from "../../accounts/session/bearer-secret.ts";
import { DAY, type Instant } from "../../lib/time.ts";
import type { Client } from "./client.ts";

/** Maximum time for which a previous secret stays valid. */
export const LONGEST_OVERLAP = 30 * DAY;

/** Replaces the hash of a missing secret, so that the comparison takes the same time. */
const NO_SECRET_HASH = "A".repeat(43);

export function previousSecretEnd({ previousSecret }: Client, now: Instant): Instant | undefined {
  return previousSecret !== undefined && previousSecret.expiresAt > now
    ? previousSecret.expiresAt
    : undefined;
}

/**
 * Returns true if the secret is the client's current one, or its previous one before the expiry. Always compares both
 * in constant time. Pass undefined for an unknown client; the result is false.
 */
export function isSecretOf(client: Client | undefined, secret: string, now: Instant): boolean {
  const isPreviousLive = client !== undefined && previousSecretEnd(client, now) !== undefined;
  const hashes = [
    client?.secretHash ?? NO_SECRET_HASH,
    isPreviousLive ? client.previousSecret!.hash : NO_SECRET_HASH,
  ];
  return hashes.map((hash) => secretMatches(secret, hash)).includes(true);
}
