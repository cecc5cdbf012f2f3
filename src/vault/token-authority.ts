/** The rows of what programs hold that grant authority; `authority.ts` says what that means. */
export const TOKEN_AUTHORITY = {
  api_token: {
    version: 1,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "name",
      "keys",
      "actions",
      "networks",
      "created_at",
      "expires_at",
      "revision",
      "policy",
      "jkt",
    ],
    open: {
      last_used_at: "a wrong time in the owner's list",
      last_used_network: "a wrong network in the owner's list",
    },
  },
  policy_use: {
    version: 1,
    covered: ["holder_id", "account_id", "counts", "expires_at"],
    open: {},
  },
} as const;
