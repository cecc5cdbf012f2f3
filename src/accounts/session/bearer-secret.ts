import { constantTimeEqual, toBase64url, utf8 } from "../../lib/bytes.ts";
import { newId, newSecret, newTimedId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";

/** A bearer token: its row is found by the id, and the secret shows that the bearer was given it. */
export interface Token {
  readonly id: string;
  readonly secret: string;
}

/** What tokens are for; part of the id, so that one kind is never taken for another. */
export type TokenKind =
  | "session"
  | "ticket"
  | "signin"
  | "token"
  | "recovery"
  | "change"
  | "invitation"
  | "administration";

const TOKEN = /^(([a-z]+)_[0-9a-v]{26})\.([A-Za-z0-9]{43})$/;

/** A fresh token: 130 random bits of id, 256 of secret. */
export function newToken(kind: TokenKind, random: RandomBytes): Token {
  return { id: newId(kind, random), secret: newSecret(random) };
}

/**
 * The same with the time in its id, as `newTimedId` has it: for rows of which there are so many that each id drawn at
 * random would be on a page of its own.
 */
export function newTimedToken(kind: TokenKind, at: { now: Instant; random: RandomBytes }): Token {
  return { id: newTimedId(kind, at), secret: newSecret(at.random) };
}

/** `id.secret`, as a cookie carries it. */
export function formatToken({ id, secret }: Token): string {
  return `${id}.${secret}`;
}

/** Reads a token of the given kind; undefined for anything else. Does not check that it was ever issued. */
export function readToken(text: string, kind: TokenKind): Token | undefined {
  const match = TOKEN.exec(text);
  if (match === null || match[2] !== kind) return undefined;
  return { id: match[1]!, secret: match[3]! };
}

/** Base64url SHA-256 of a secret: all that is stored of it. Enough, because secrets are 256 random bits. */
export function hashSecret(secret: string): string {
  return toBase64url(sha256(utf8(secret)));
}

/** Whether a secret is the one whose hash is stored, in constant time. */
export function secretMatches(secret: string, storedHash: string): boolean {
  return constantTimeEqual(utf8(hashSecret(secret)), utf8(storedHash));
}
