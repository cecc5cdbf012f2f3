import { accountWords } from "./en/account.ts";
import { activityWords } from "./en/activity.ts";
import { consentWords } from "./en/consent.ts";
import { developerWords } from "./en/developer.ts";
import { eventWords } from "./en/events.ts";
import { errorWords } from "./en/error.ts";
import { keyWords } from "./en/key.ts";
import { keysWords } from "./en/keys.ts";
import { adminWords } from "./en/admin.ts";
import { layoutWords } from "./en/layout.ts";
import { partsWords } from "./en/parts.ts";
import { policyWords } from "./en/policy.ts";
import { recoverWords } from "./en/recover.ts";
import { requestsWords } from "./en/requests.ts";
import { signWords } from "./en/sign.ts";
import { signInWords } from "./en/sign-in.ts";
import { signUpWords } from "./en/sign-up.ts";
import { visitorWords } from "./en/visitor.ts";
import { accountPasskeysWords, accountSessionsWords } from "./en/scripts/account.ts";
import { wayBackWords } from "./en/way-back.ts";
import { invitedWords, uninvitedWords } from "./en/uninvited.ts";
import { developerScriptWords } from "./en/scripts/developer.ts";
import { failureWords } from "./en/scripts/failure.ts";
import { attestationWords, keyScriptWords, offerWords, recogniseWords } from "./en/scripts/key.ts";
import {
  activityScriptWords,
  approvalWords,
  domWords,
  keysScriptWords,
  timesWords,
  unsentWords,
} from "./en/scripts/parts.ts";
import { passkeyWords } from "./en/scripts/passkey.ts";
import { recoverScriptWords } from "./en/scripts/recover.ts";
import { settingsWords } from "./en/settings.ts";
import { takeBackWords } from "./en/take-back.ts";
import { settingsScriptWords } from "./en/scripts/settings.ts";
import { signInScriptWords } from "./en/scripts/sign-in.ts";
import {
  explanationWords,
  intentWords,
  signedWords,
  signRequestWords,
  signScriptWords,
} from "./en/scripts/signing.ts";
import { sentCodeWords, signUpScriptWords } from "./en/scripts/sign-up.ts";
import { stepUpWords } from "./en/scripts/step-up.ts";
import { wayBackScriptWords } from "./en/scripts/way-back.ts";

/** The English catalogue: what the others must have. */
export const en = {
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
  /** By the names of the scripts. */
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
