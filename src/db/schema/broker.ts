import type { Instant } from "../../lib/time.ts";

/** A nonce of a release broker, consumed by deletion. */
export interface ReleaseChallengeTable {
  /** 32 random bytes, base64url. */
  nonce: string;
  workload: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The sealing key that a release broker holds for a workload. One row per workload, never deleted. */
export interface ReleaseKeyTable {
  workload: string;
  /** 32 bytes, sealed by the vault for this workload only. */
  sealed: Uint8Array;
  created_at: Instant;
  mac: Uint8Array;
}

/** The tables of a release broker. They are empty in a service. */
export interface BrokerTables {
  release_challenge: ReleaseChallengeTable;
  release_key: ReleaseKeyTable;
}
