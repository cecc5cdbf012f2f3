import { hashSecret, secretMatches } from "../../accounts/session/bearer-secret.ts";
import { newSecret, newTimedId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";

/** What a token that only we can read is for. Each kind has its own table, and the kind is part of the id. */
export type OpaqueTokenKind = "code" | "refresh";

/** A token as it goes out, and what is kept of it. */
export interface OpaqueToken {
  /**
   * 43 characters of secret and 26 of id, all of `[A-Za-z0-9]`: nothing that any encoding changes. The secret first, so
   * that no two begin alike.
   */
  readonly text: string;
  readonly id: string;
  readonly secretHash: string;
}

const TOKEN = /^([A-Za-z0-9]{43})([0-9a-v]{26})$/;

/** A fresh token: an id in the order of time, 256 random bits of secret. */
export function newOpaqueToken(
  kind: OpaqueTokenKind,
  { now, random }: { now: Instant; random: RandomBytes },
): OpaqueToken {
  const id = newTimedId(kind, { now, random });
  const secret = newSecret(random);
  return { text: secret + id.slice(kind.length + 1), id, secretHash: hashSecret(secret) };
}

/**
 * The row's id and the secret in a text; undefined when no token of ours looks like it. Does not check that it was
 * issued.
 */
export function readOpaqueToken(
  text: string,
  kind: OpaqueTokenKind,
): { readonly id: string; readonly matches: (storedHash: string) => boolean } | undefined {
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const [, secret, id] = match;
  return { id: `${kind}_${id!}`, matches: (storedHash) => secretMatches(secret!, storedHash) };
}
