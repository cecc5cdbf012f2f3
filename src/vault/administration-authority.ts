/** The administrator's rows that grant authority; `authority.ts` says what that means. */
export const ADMINISTRATION_AUTHORITY = {
  invitation: {
    version: 1,
    covered: ["id", "secret_hash", "email", "uses", "used", "created_at", "expires_at"],
    open: {},
  },
  admin_session: {
    version: 1,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "session_id",
      "admin_key_hash",
      "created_at",
      "expires_at",
    ],
    open: {},
  },
} as const;
