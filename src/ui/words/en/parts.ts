/** What several pages say. */
export const partsWords = {
  today: "Today",
  yesterday: "Yesterday",
  copy: "Copy",
  /** What a screen reader says after it. */
  copyWhat: (what: string) => ` ${what}`,
  needsScript:
    "Passkeys and signing work through this page’s own scripts. Turn JavaScript on to use them; reading and signing out work without.",
  or: "or",
  continueWith: "Continue with",
};
