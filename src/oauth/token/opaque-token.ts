import { hashSecret, secretMatches } from "../../accounts/session/bearer-secret.ts";
import { newSecret, newTimedId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";

/** The row that an opaque token names: the grant of a code, or a refresh token. It is the start of the row's id. */
export type OpaqueTokenKind = "grant" | "refresh";

/** An opaque token and the parts that are stored. */
export interface OpaqueToken {
  /**
   * 43 characters of secret, 26 of id and 26 of the account's id, all in `[A-Za-z0-9]`, so that no encoding changes
   * them. The secret comes first, so that no two tokens share a prefix. The account's state shows if the database hides
   * what the token refers to.
   */
  readonly text: string;
  readonly id: string;
  readonly secretHash: string;
}

const TOKEN = /^([A-Za-z0-9]{43})([0-9a-v]{26})([0-9a-v]{26})$/;

const ACCOUNT = "account_";

/** Creates a token with a time-ordered id and 256 random bits of secret. */
export function newOpaqueToken(
  kind: OpaqueTokenKind,
  { accountId, now, random }: {
    readonly accountId: string;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): OpaqueToken {
  const id = newTimedId(kind, { now, random });
  const secret = newSecret(random);
  const text = secret + id.slice(kind.length + 1) + accountId.slice(ACCOUNT.length);
  return { text, id, secretHash: hashSecret(secret) };
}

export interface ReadToken {
  readonly id: string;
  readonly accountId: string;
  readonly matches: (storedHash: string) => boolean;
}

/** Parses a token. Returns undefined if the format is wrong. Does not check that it was issued. */
export function readOpaqueToken(
  text: string,
  kind: OpaqueTokenKind,
): ReadToken | undefined {
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const [, secret, id, account] = match;
  return {
    id: `${kind}_${id!}`,
    accountId: ACCOUNT + account!,
    matches: (storedHash) => secretMatches(secret!, storedHash),
  };
}
