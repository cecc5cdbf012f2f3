import { layoutWords } from "./en/layout.ts";
import { partsWords } from "./en/parts.ts";
import { signInWords } from "./en/sign-in.ts";
import { failureWords } from "./en/scripts/failure.ts";
import { passkeyWords } from "./en/scripts/passkey.ts";
import { signInScriptWords } from "./en/scripts/sign-in.ts";

/** The English catalogue: what the others must have. */
export const en = {
  layout: layoutWords,
  parts: partsWords,
  signIn: signInWords,
  /** By the names of the scripts. */
  scripts: {
    "failure": failureWords,
    "passkey": passkeyWords,
    "sign-in": signInScriptWords,
  },
};
