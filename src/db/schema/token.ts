import type { Instant } from "../../lib/time.ts";
import { authenticated, integer, mutable, nullable, text, time } from "./column.ts";

/**
 * A used DPoP proof (RFC 9449), kept until it expires. Has no MAC: deleting the row lets another process accept the
 * proof again, from an attacker who has both proof and token.
 */
export interface DpopProofTable {
  expires_at: Instant;
  /** The first bytes of the SHA-256 of its key's thumbprint and its `jti`. */
  id: Uint8Array;
}

export const TOKEN_TABLES = {
  /** A token that lets a program use keys of an account. */
  api_token: authenticated(1, {
    id: text,
    /** Base64url SHA-256 of the secret. */
    secret_hash: text,
    account_id: text,
    name: text,
    /** JSON: `"all"`, or an array of key ids. */
    keys: text,
    /** Separated by spaces. */
    actions: text,
    /** CIDR ranges that it may be used from, separated by spaces; null for any. */
    networks: nullable(text),
    created_at: time,
    expires_at: time,
    last_used_at: mutable(nullable(time), "a wrong time in the owner's list"),
    last_used_network: mutable(nullable(text), "a wrong network in the owner's list"),
    /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
    revision: nullable(integer),
    /** The signing policy, canonical JSON; null allows everything. */
    policy: nullable(text),
    /** Thumbprint of the DPoP key that each request must prove; null for a bearer token. */
    jkt: nullable(text),
  }),

  /** The signatures and budget counted under the policy of a token, grant or key. */
  policy_use: authenticated(1, {
    holder_id: text,
    account_id: text,
    /** JSON: the number of writes and, for each counter, its window's start and its value. */
    counts: text,
    /** The expiry of the token or grant; null for a key. */
    expires_at: nullable(time),
  }),
};
