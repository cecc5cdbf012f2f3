import { layoutWords } from "./de/layout.ts";
import { partsWords } from "./de/parts.ts";
import { signInWords } from "./de/sign-in.ts";
import { failureWords } from "./de/scripts/failure.ts";
import { passkeyWords } from "./de/scripts/passkey.ts";
import { signInScriptWords } from "./de/scripts/sign-in.ts";
import type { en } from "./en.ts";

/** The German catalogue. */
export const de: typeof en = {
  layout: layoutWords,
  parts: partsWords,
  signIn: signInWords,
  scripts: {
    "failure": failureWords,
    "passkey": passkeyWords,
    "sign-in": signInScriptWords,
  },
};
