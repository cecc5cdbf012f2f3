import { authenticated, bytes, text, time } from "./column.ts";

/** The tables of a release broker. They are empty in a service. */
export const BROKER_TABLES = {
  /** A nonce of a release broker, consumed by deletion. */
  release_challenge: authenticated(1, {
    /** 32 random bytes, base64url. */
    nonce: text,
    workload: text,
    created_at: time,
    expires_at: time,
  }),

  /** The sealing key that a release broker holds for a workload. One row per workload, never deleted. */
  release_key: authenticated(1, {
    workload: text,
    /** 32 bytes, sealed by the vault for this workload only. */
    sealed: bytes,
    created_at: time,
  }),
};
