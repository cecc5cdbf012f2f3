import { hashSecret, secretMatches } from "../../accounts/session/bearer-secret.ts";
import { newSecret, newTimedId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";

/** The purpose of an opaque token. Each kind has its own table, and the kind is part of the id. */
export type OpaqueTokenKind = "code" | "refresh";

/** An opaque token and the parts that are stored. */
export interface OpaqueToken {
  /**
   * 43 characters of secret and 26 of id, all in `[A-Za-z0-9]`, so that no encoding changes them. The secret comes
   * first, so that no two tokens share a prefix.
   */
  readonly text: string;
  readonly id: string;
  readonly secretHash: string;
}

const TOKEN = /^([A-Za-z0-9]{43})([0-9a-v]{26})$/;

/** Creates a token with a time-ordered id and 256 random bits of secret. */
export function newOpaqueToken(
  kind: OpaqueTokenKind,
  { now, random }: { now: Instant; random: RandomBytes },
): OpaqueToken {
  const id = newTimedId(kind, { now, random });
  const secret = newSecret(random);
  return { text: secret + id.slice(kind.length + 1), id, secretHash: hashSecret(secret) };
}

/** Parses a token. Returns undefined if the format is wrong. Does not check that it was issued. */
export function readOpaqueToken(
  text: string,
  kind: OpaqueTokenKind,
): { readonly id: string; readonly matches: (storedHash: string) => boolean } | undefined {
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const [, secret, id] = match;
  return { id: `${kind}_${id!}`, matches: (storedHash) => secretMatches(secret!, storedHash) };
}
