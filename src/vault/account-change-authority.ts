/** The rows of what becomes of accounts; `authority.ts` says what that means. */
export const ACCOUNT_CHANGE_AUTHORITY = {
  email_change: {
    version: 1,
    covered: ["id", "secret_hash", "account_id", "old_email", "new_email", "created_at", "expires_at"],
    open: {},
  },
  account_deletion: {
    version: 1,
    covered: ["id", "account_id", "created_at", "due_at"],
    open: {},
  },
} as const;
