import type { Instant } from "../../lib/time.ts";

/** A nonce of a release broker, consumed by deletion. */
export interface ReleaseChallengeTable {
  /** 32 random bytes, base64url. */
  nonce: string;
  /** The workload that asked. */
  workload: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The sealing key that a release broker keeps for a workload. One row for each, for ever. */
export interface ReleaseKeyTable {
  workload: string;
  /** 32 bytes under the vault's seal, which admits no other workload. */
  sealed: Uint8Array;
  created_at: Instant;
  mac: Uint8Array;
}

/** The tables of a release broker. A service's are empty. */
export interface BrokerTables {
  release_challenge: ReleaseChallengeTable;
  release_key: ReleaseKeyTable;
}
