import { normaliseEmail } from "../accounts/email/email-address.ts";
import { SIGN_UP_RULES, type SignUpRule } from "../accounts/sign-up-rule.ts";
import { isDevelopment } from "./mode.ts";

/** Reads the sign-up rule; undefined if unset. Adds a fault and returns undefined if it is unknown. */
export function readSignUp(text: string, faults: string[]): SignUpRule | undefined {
  if (text === "") return undefined;
  const rule = SIGN_UP_RULES.find((known) => known === text);
  if (rule === undefined) faults.push(`SIGN_UP must be one of ${SIGN_UP_RULES.join(", ")}`);
  return rule;
}

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
