export const BROKER_AUTHORITY = {
  release_challenge: {
    version: 1,
    covered: ["nonce", "workload", "created_at", "expires_at"],
    open: {},
  },
  release_key: {
    version: 1,
    covered: ["workload", "sealed", "created_at"],
    open: {},
  },
} as const;
