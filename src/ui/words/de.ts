import { accountWords } from "./de/account.ts";
import { activityWords } from "./de/activity.ts";
import { consentWords } from "./de/consent.ts";
import { developerWords } from "./de/developer.ts";
import { eventWords } from "./de/events.ts";
import { errorWords } from "./de/error.ts";
import { keyWords } from "./de/key.ts";
import { keysWords } from "./de/keys.ts";
import { adminWords } from "./de/admin.ts";
import { layoutWords } from "./de/layout.ts";
import { partsWords } from "./de/parts.ts";
import { policyWords } from "./de/policy.ts";
import { recoverWords } from "./de/recover.ts";
import { requestsWords } from "./de/requests.ts";
import { signWords } from "./de/sign.ts";
import { signInWords } from "./de/sign-in.ts";
import { signUpWords } from "./de/sign-up.ts";
import { visitorWords } from "./de/visitor.ts";
import { accountPasskeysWords, accountSessionsWords } from "./de/scripts/account.ts";
import { wayBackWords } from "./de/way-back.ts";
import { invitedWords, uninvitedWords } from "./de/uninvited.ts";
import { developerScriptWords } from "./de/scripts/developer.ts";
import { failureWords } from "./de/scripts/failure.ts";
import { attestationWords, keyScriptWords, offerWords, recogniseWords } from "./de/scripts/key.ts";
import {
  activityScriptWords,
  approvalWords,
  domWords,
  keysScriptWords,
  timesWords,
  unsentWords,
} from "./de/scripts/parts.ts";
import { passkeyWords } from "./de/scripts/passkey.ts";
import { recoverScriptWords } from "./de/scripts/recover.ts";
import { settingsWords } from "./de/settings.ts";
import { takeBackWords } from "./de/take-back.ts";
import { settingsScriptWords } from "./de/scripts/settings.ts";
import { signInScriptWords } from "./de/scripts/sign-in.ts";
import {
  explanationWords,
  intentWords,
  signedWords,
  signRequestWords,
  signScriptWords,
} from "./de/scripts/signing.ts";
import { sentCodeWords, signUpScriptWords } from "./de/scripts/sign-up.ts";
import { stepUpWords } from "./de/scripts/step-up.ts";
import { wayBackScriptWords } from "./de/scripts/way-back.ts";
import type { en } from "./en.ts";

/** The German catalogue. */
export const de: typeof en = {
  account: accountWords,
  activity: activityWords,
  consent: consentWords,
  developer: developerWords,
  error: errorWords,
  events: eventWords,
  key: keyWords,
  keys: keysWords,
  admin: adminWords,
  layout: layoutWords,
  parts: partsWords,
  policy: policyWords,
  recover: recoverWords,
  sign: signWords,
  signIn: signInWords,
  wayBack: wayBackWords,
  invited: invitedWords,
  uninvited: uninvitedWords,
  settings: settingsWords,
  takeBack: takeBackWords,
  requests: requestsWords,
  signUp: signUpWords,
  visitor: visitorWords,
  scripts: {
    "account-passkeys": accountPasskeysWords,
    "account-sessions": accountSessionsWords,
    "activity": activityScriptWords,
    "approval": approvalWords,
    "attestation": attestationWords,
    "developer": developerScriptWords,
    "dom": domWords,
    "explanation": explanationWords,
    "failure": failureWords,
    "intent": intentWords,
    "key": keyScriptWords,
    "keys": keysScriptWords,
    "offer": offerWords,
    "passkey": passkeyWords,
    "recognise": recogniseWords,
    "recover": recoverScriptWords,
    "settings": settingsScriptWords,
    "sent-code": sentCodeWords,
    "sign": signScriptWords,
    "sign-in": signInScriptWords,
    "sign-request": signRequestWords,
    "sign-up": signUpScriptWords,
    "signed": signedWords,
    "step-up": stepUpWords,
    "way-back": wayBackScriptWords,
    "times": timesWords,
    "unsent": unsentWords,
  },
};
