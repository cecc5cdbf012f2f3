import { codeMailWords } from "./en/code.ts";
import { newDeviceMailWords } from "./en/new-device.ts";
import { passkeyMailWords } from "./en/passkey.ts";
import { policyMailWords } from "./en/policy.ts";
import { signatureMailWords } from "./en/signature.ts";
import { tokenMailWords } from "./en/token.ts";

/** The English catalogue of mails. */
export const en = {
  code: codeMailWords,
  newDevice: newDeviceMailWords,
  passkey: passkeyMailWords,
  policy: policyMailWords,
  signature: signatureMailWords,
  token: tokenMailWords,
};
