import { secretMatches } from "../../accounts/session/bearer-secret.ts";
import { DAY } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Client } from "./client.ts";

/** For how long a client's previous secret may count beside the new one. */
export const LONGEST_OVERLAP = 30 * DAY;

/** Stands in for the hash of a secret that is not there, so that it takes as long to refuse. */
const NO_SECRET_HASH = "A".repeat(43);

/** When the client's previous secret stops; undefined where none counts any more. */
export function previousSecretEnd({ previousSecret }: Client, now: Instant): Instant | undefined {
  return previousSecret !== undefined && previousSecret.expiresAt > now
    ? previousSecret.expiresAt
    : undefined;
}

/**
 * Whether a secret is one of the client's that count now: the present one, or the one before it until its end. Both are
 * compared, in constant time, whichever there are; undefined stands for a client that is not there, and is never right.
 */
export function isSecretOf(client: Client | undefined, secret: string, now: Instant): boolean {
  const isPreviousLive = client !== undefined && previousSecretEnd(client, now) !== undefined;
  const hashes = [
    client?.secretHash ?? NO_SECRET_HASH,
    isPreviousLive ? client.previousSecret!.hash : NO_SECRET_HASH,
  ];
  return hashes.map((hash) => secretMatches(secret, hash)).includes(true);
}
