import { accountMailWords } from "./en/account.ts";
import { codeMailWords } from "./en/code.ts";
import { invitationMailWords } from "./en/invitation.ts";
import { newDeviceMailWords } from "./en/new-device.ts";
import { passkeyMailWords } from "./en/passkey.ts";
import { policyMailWords } from "./en/policy.ts";
import { recoveryMailWords } from "./en/recovery.ts";
import { signatureMailWords } from "./en/signature.ts";
import { tokenMailWords } from "./en/token.ts";

/** The English catalogue of mails. */
export const en = {
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
