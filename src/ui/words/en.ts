import { accountWords } from "./en/account.ts";
import { layoutWords } from "./en/layout.ts";
import { partsWords } from "./en/parts.ts";
import { recoverWords } from "./en/recover.ts";
import { signInWords } from "./en/sign-in.ts";
import { accountPasskeysWords, accountSessionsWords } from "./en/scripts/account.ts";
import { wayBackWords } from "./en/way-back.ts";
import { invitedWords, uninvitedWords } from "./en/uninvited.ts";
import { failureWords } from "./en/scripts/failure.ts";
import { passkeyWords } from "./en/scripts/passkey.ts";
import { recoverScriptWords } from "./en/scripts/recover.ts";
import { settingsWords } from "./en/settings.ts";
import { takeBackWords } from "./en/take-back.ts";
import { settingsScriptWords } from "./en/scripts/settings.ts";
import { signInScriptWords } from "./en/scripts/sign-in.ts";
import { stepUpWords } from "./en/scripts/step-up.ts";
import { wayBackScriptWords } from "./en/scripts/way-back.ts";

/** The English catalogue: what the others must have. */
export const en = {
  account: accountWords,
  layout: layoutWords,
  parts: partsWords,
  recover: recoverWords,
  signIn: signInWords,
  wayBack: wayBackWords,
  invited: invitedWords,
  uninvited: uninvitedWords,
  settings: settingsWords,
  takeBack: takeBackWords,
  /** By the names of the scripts. */
  scripts: {
    "account-passkeys": accountPasskeysWords,
    "account-sessions": accountSessionsWords,
    "failure": failureWords,
    "passkey": passkeyWords,
    "recover": recoverScriptWords,
    "settings": settingsScriptWords,
    "sign-in": signInScriptWords,
    "step-up": stepUpWords,
    "way-back": wayBackScriptWords,
  },
};
