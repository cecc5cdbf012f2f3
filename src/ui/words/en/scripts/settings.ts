/** What the script of the account's settings says. */
export const settingsScriptWords = {
  saved: "Saved.",
  codeSent: "We sent a code to {email}.",
  sixDigits: "The code has six digits.",
  changed: "Your e-mail address is {email} now. The old one is told.",
  unlinked: "{provider} is unlinked.",
  exported: "The file is ready: your browser has saved it.",
};
