/** The rows of asked signatures; `authority.ts` says what that means. */
export const SIGNING_REQUEST_AUTHORITY = {
  signing_request: {
    version: 1,
    covered: [
      "id",
      "account_id",
      "key_id",
      "asker",
      "client_id",
      "asker_name",
      "network",
      "kind",
      "document",
      "digest",
      "reason",
      "state",
      "code",
      "word",
      "created_at",
      "expires_at",
      "ended_at",
    ],
    open: {},
  },
} as const;
