import type { partsWords as English } from "../en/parts.ts";

export const partsWords: typeof English = {
  today: "Heute",
  yesterday: "Gestern",
  copy: "Kopieren",
  copyWhat: (what) => ` (${what})`,
  needsScript:
    "Passkeys und Signaturen brauchen die Skripte dieser Seite. Schalten Sie dafür JavaScript ein; lesen und sich abmelden können Sie auch ohne.",
  or: "oder",
  continueWith: "Weiter mit",
};
