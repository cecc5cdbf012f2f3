import { hashSecret, secretMatches } from "../accounts/token.ts";
import { newId, newSecret } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";

/** What a token that only we can read is for. Each kind has its own table, and the kind is part of the id. */
export type OpaqueTokenKind = "code" | "refresh";

/** A token as it goes out, and what is kept of it. */
export interface OpaqueToken {
  /** 26 characters of id and 43 of secret, all of `[A-Za-z0-9]`: nothing that any encoding changes. */
  readonly text: string;
  readonly id: string;
  readonly secretHash: string;
}

const TOKEN = /^([0-9a-v]{26})([A-Za-z0-9]{43})$/;

/** A fresh token: 130 random bits of id, 256 of secret. */
export function newOpaqueToken(kind: OpaqueTokenKind, random: RandomBytes): OpaqueToken {
  const id = newId(kind, random);
  const secret = newSecret(random);
  return { text: id.slice(kind.length + 1) + secret, id, secretHash: hashSecret(secret) };
}

/** The row's id and the secret in a text; undefined when no token of ours looks like it. Does not check that it was issued. */
export function readOpaqueToken(
  text: string,
  kind: OpaqueTokenKind,
): { readonly id: string; readonly matches: (storedHash: string) => boolean } | undefined {
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const [, id, secret] = match;
  return { id: `${kind}_${id!}`, matches: (storedHash) => secretMatches(secret!, storedHash) };
}
