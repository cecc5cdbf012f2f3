import type { Instant } from "../../lib/time.ts";

/** A token that lets a program use keys of an account. */
export interface ApiTokenTable {
  id: string;
  /** Base64url SHA-256 of the secret. */
  secret_hash: string;
  account_id: string;
  name: string;
  /** JSON: `"all"`, or an array of key ids. */
  keys: string;
  /** Separated by spaces. */
  actions: string;
  /** CIDR ranges that it may be used from, separated by spaces; null for any. */
  networks: string | null;
  created_at: Instant;
  expires_at: Instant;
  last_used_at: Instant | null;
  last_used_network: string | null;
  /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
  revision: number | null;
  /** The signing policy, canonical JSON; null allows everything. */
  policy: string | null;
  /** Thumbprint of the DPoP key that each request must prove; null for a bearer token. */
  jkt: string | null;
  mac: Uint8Array;
}

/** The signatures and budget counted under the policy of a token, grant or key. */
export interface PolicyUseTable {
  holder_id: string;
  account_id: string;
  /** JSON: the number of writes and, for each counter, its window's start and its value. */
  counts: string;
  /** The expiry of the token or grant; null for a key. */
  expires_at: Instant | null;
  mac: Uint8Array;
}

/**
 * A used DPoP proof (RFC 9449), kept until it expires. Has no MAC: deleting the row lets another process accept the
 * proof again, from an attacker who has both proof and token.
 */
export interface DpopProofTable {
  expires_at: Instant;
  /** The first bytes of the SHA-256 of its key's thumbprint and its `jti`. */
  id: Uint8Array;
}

export interface TokenTables {
  api_token: ApiTokenTable;
  policy_use: PolicyUseTable;
  dpop_proof: DpopProofTable;
}
