import type { Instant } from "../../lib/time.ts";

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
  /** Grows with every change, so that no two versions of a row are the same; null before the first. */
  revision: number | null;
  /** Canonical JSON of what may be signed with it; null where it may sign anything. */
  policy: string | null;
  /** The thumbprint of the key that each request must prove; null for a bearer token. */
  jkt: string | null;
  mac: Uint8Array;
}

/** What was counted under the policy of a token, a grant or a key: signatures, and what they took from its budgets. */
export interface PolicyUseTable {
  /** The id of what has the policy. */
  holder_id: string;
  account_id: string;
  /** JSON: how often this was written, and, by what is counted, from when the window runs, and how much. */
  counts: string;
  /** When what has the policy ends; null for keys, which do not. */
  expires_at: Instant | null;
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
  policy_use: PolicyUseTable;
  dpop_proof: DpopProofTable;
}
