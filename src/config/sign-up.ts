import { normaliseEmail } from "../accounts/email/email-address.ts";
import { SIGN_UP_RULES, type SignUpRule } from "../accounts/sign-up-rule.ts";
import { isDevelopment } from "./mode.ts";
import { optionalOneOf } from "./values.ts";

export const readSignUp = optionalOneOf("SIGN_UP", SIGN_UP_RULES);

/** Returns the default sign-up rule: invitations in production, open in development. */
export function usualSignUp({ BASE_URL }: Readonly<Record<string, string | undefined>>): SignUpRule {
  const isHere = BASE_URL === undefined || BASE_URL === "" || !URL.canParse(BASE_URL) ||
    isDevelopment(BASE_URL);
  return isHere ? "open" : "invite";
}

/** Reads account ids or addresses, separated by commas. Adds a fault and returns undefined if one is invalid. */
export function readAdminAccounts(text: string, faults: string[]): readonly string[] | undefined {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  try {
    return names.map((name) => /^account_[0-9a-v]{26}$/.test(name) ? name : normaliseEmail(name));
  } catch {
    faults.push("ADMIN_ACCOUNTS must be ids or e-mail addresses of accounts, separated by commas");
    return undefined;
  }
}
