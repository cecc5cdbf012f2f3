/** The rows of recoveries; `authority.ts` says what that means. */
export const RECOVERY_AUTHORITY = {
  account_recovery: {
    version: 1,
    covered: [
      "account_id",
      "revision",
      "delay_hours",
      "email_alone",
      "sheet",
      "codes_left",
      "codes_made_at",
      "recovery_id",
      "way",
      "secret_hash",
      "code_hash",
      "device",
      "network",
      "begun_at",
      "ready_at",
      "ends_at",
      "begun_ran",
      "settled_at",
      "settled_ran",
      "ran",
    ],
    open: {
      look_at: "a daily mail is held back, as by deleting it, or sent once more; a delay takes longer",
    },
  },
  recovery_code: {
    version: 1,
    covered: ["code_hash", "account_id", "sheet", "number", "created_at"],
    open: {},
  },
} as const;
