/** What several pages say. */
export const partsWords = {
  today: "Today",
  yesterday: "Yesterday",
  copy: "Copy",
  needsScript:
    "Passkeys and signing work through this page’s own scripts. Turn JavaScript on to use them; reading and signing out work without.",
  or: "or",
  continueWith: "Continue with",
};
