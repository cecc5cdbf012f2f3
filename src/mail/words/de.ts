import { accountMailWords } from "./de/account.ts";
import { codeMailWords } from "./de/code.ts";
import { invitationMailWords } from "./de/invitation.ts";
import { newDeviceMailWords } from "./de/new-device.ts";
import { passkeyMailWords } from "./de/passkey.ts";
import { policyMailWords } from "./de/policy.ts";
import { recoveryMailWords } from "./de/recovery.ts";
import { signatureMailWords } from "./de/signature.ts";
import { tokenMailWords } from "./de/token.ts";
import type { en } from "./en.ts";
/** The German catalogue of mails. */
export const de: typeof en = {
  account: accountMailWords,
  code: codeMailWords,
  invitation: invitationMailWords,
  newDevice: newDeviceMailWords,
  passkey: passkeyMailWords,
  policy: policyMailWords,
  recovery: recoveryMailWords,
  signature: signatureMailWords,
  token: tokenMailWords,
};
