import { SIGN_UP_RULES } from "../accounts/invitation.ts";
import type { SignUpRule } from "../accounts/invitation.ts";
import { isDevelopment } from "./loopback.ts";

/** Who may make an account; undefined where it is not said, and, after naming the fault, for anything unknown. */
export function readSignUp(text: string, faults: string[]): SignUpRule | undefined {
  if (text === "") return undefined;
  const rule = SIGN_UP_RULES.find((known) => known === text);
  if (rule === undefined) faults.push(`SIGN_UP must be one of ${SIGN_UP_RULES.join(", ")}`);
  return rule;
}

/** Who may make an account where it is not said: in production nobody whom nobody invited. */
export function usualSignUp({ BASE_URL }: Readonly<Record<string, string | undefined>>): SignUpRule {
  const isHere = BASE_URL === undefined || BASE_URL === "" || !URL.canParse(BASE_URL) ||
    isDevelopment(BASE_URL);
  return isHere ? "open" : "invite";
}
