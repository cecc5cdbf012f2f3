export const SIGN_UP_RULES = ["open", "invite", "closed"] as const;

export type SignUpRule = (typeof SIGN_UP_RULES)[number];
