/** The rules for creating an account: without condition, with an invitation, or not at all. */
export const SIGN_UP_RULES = ["open", "invite", "closed"] as const;

export type SignUpRule = (typeof SIGN_UP_RULES)[number];
