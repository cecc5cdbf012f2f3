import { accountWords } from "./en/account.ts";
import { layoutWords } from "./en/layout.ts";
import { partsWords } from "./en/parts.ts";
import { signInWords } from "./en/sign-in.ts";
import { accountPasskeysWords, accountSessionsWords } from "./en/scripts/account.ts";
import { failureWords } from "./en/scripts/failure.ts";
import { passkeyWords } from "./en/scripts/passkey.ts";
import { signInScriptWords } from "./en/scripts/sign-in.ts";
import { stepUpWords } from "./en/scripts/step-up.ts";

/** The English catalogue: what the others must have. */
export const en = {
  account: accountWords,
  layout: layoutWords,
  parts: partsWords,
  signIn: signInWords,
  /** By the names of the scripts. */
  scripts: {
    "account-passkeys": accountPasskeysWords,
    "account-sessions": accountSessionsWords,
    "failure": failureWords,
    "passkey": passkeyWords,
    "sign-in": signInScriptWords,
    "step-up": stepUpWords,
  },
};
