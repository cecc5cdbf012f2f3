import { constantTimeEqualText, toBase64url, utf8 } from "../../lib/bytes.ts";
import { newId, newSecret, newTimedId, type RandomBytes } from "../../lib/id.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";

/** A bearer token. The id finds its row and the secret authenticates the bearer. */
export interface Token {
  readonly id: string;
  readonly secret: string;
}

/** The purpose of a token. It is part of the id, so that a token is valid for one purpose only. */
export type TokenKind =
  | "ticket"
  | "signin"
  | "token"
  | "recovery"
  | "change"
  | "invitation"
  | "administration";

const TOKEN = /^(([a-z]+)_[0-9a-v]{26})\.([A-Za-z0-9]{43})$/;

/** A session's token. It names the account, whose state shows if the database hides the session's row. */
export interface SessionToken extends Token {
  readonly accountId: string;
}

const SESSION_TOKEN = /^(session_[0-9a-v]{26})\.([A-Za-z0-9]{43})\.([0-9a-v]{26})$/;

const ACCOUNT = "account_";

/** Creates a token with 130 random bits of id and 256 of secret. */
export function newToken(kind: TokenKind, random: RandomBytes): Token {
  return { id: newId(kind, random), secret: newSecret(random) };
}

/** Creates a session's token. Its id begins with the time, so that rows written in bulk share a few pages. */
export function newSessionToken(
  at: { readonly accountId: string; readonly now: Instant; readonly random: RandomBytes },
): SessionToken {
  return { id: newTimedId("session", at), secret: newSecret(at.random), accountId: at.accountId };
}

export function formatSessionToken({ id, secret, accountId }: SessionToken): string {
  return `${id}.${secret}.${accountId.slice(ACCOUNT.length)}`;
}

/** Parses a session's token. Returns undefined for any other text. Does not check that it was issued. */
export function readSessionToken(text: string): SessionToken | undefined {
  const match = SESSION_TOKEN.exec(text);
  return match === null ? undefined : { id: match[1]!, secret: match[2]!, accountId: ACCOUNT + match[3]! };
}

export function formatToken({ id, secret }: Token): string {
  return `${id}.${secret}`;
}

/** Parses a token of the given kind. Returns undefined for any other text. Does not check that it was issued. */
export function readToken(text: string, kind: TokenKind): Token | undefined {
  const match = TOKEN.exec(text);
  if (match === null || match[2] !== kind) return undefined;
  return { id: match[1]!, secret: match[3]! };
}

/** Returns base64url SHA-256, the only stored form. A plain hash suffices for 256 random bits. */
export function hashSecret(secret: string): string {
  return toBase64url(sha256(utf8(secret)));
}

export function secretMatches(secret: string, storedHash: string): boolean {
  return constantTimeEqualText(hashSecret(secret), storedHash);
}
