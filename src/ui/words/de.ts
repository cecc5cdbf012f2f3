import { accountWords } from "./de/account.ts";
import { layoutWords } from "./de/layout.ts";
import { partsWords } from "./de/parts.ts";
import { recoverWords } from "./de/recover.ts";
import { signInWords } from "./de/sign-in.ts";
import { accountPasskeysWords, accountSessionsWords } from "./de/scripts/account.ts";
import { wayBackWords } from "./de/way-back.ts";
import { invitedWords, uninvitedWords } from "./de/uninvited.ts";
import { failureWords } from "./de/scripts/failure.ts";
import { passkeyWords } from "./de/scripts/passkey.ts";
import { recoverScriptWords } from "./de/scripts/recover.ts";
import { settingsWords } from "./de/settings.ts";
import { takeBackWords } from "./de/take-back.ts";
import { settingsScriptWords } from "./de/scripts/settings.ts";
import { signInScriptWords } from "./de/scripts/sign-in.ts";
import { stepUpWords } from "./de/scripts/step-up.ts";
import { wayBackScriptWords } from "./de/scripts/way-back.ts";
import type { en } from "./en.ts";

/** The German catalogue. */
export const de: typeof en = {
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
