import type { Instant } from "../lib/time.ts";

/** A token with which a program uses keys of an account. */
export interface ApiTokenTable {
  id: string;
  /** Base64url SHA-256 of its secret. */
  secret_hash: string;
  account_id: string;
  name: string;
  /** JSON: `"all"`, or the ids of the keys it may use. */
  keys: string;
  /** What it may do, separated by spaces. */
  actions: string;
  /** Networks (CIDR) from which it may be used, separated by spaces; null for any. */
  networks: string | null;
  created_at: Instant;
  expires_at: Instant;
  last_used_at: Instant | null;
  last_used_network: string | null;
  mac: Uint8Array;
}

/**
 * A proof of possession (RFC 9449) that was used, until it counts no more. Whoever deletes the row lets another process
 * take the proof again, from whoever has it and the token.
 */
export interface DpopProofTable {
  expires_at: Instant;
  /** The beginning of the SHA-256 of its key's thumbprint and its `jti`. */
  id: Uint8Array;
}

/** The tables of what programs hold. */
export interface TokenTables {
  api_token: ApiTokenTable;
  dpop_proof: DpopProofTable;
}
