/** The page of an account's way back. */
export const wayBackWords = {
  title: "Way back",
  titleAfterSignUp: "Keep your way back",
  introduction: "Your passkey alone opens your account. If it is lost, one of these brings you back.",
  needsScript:
    "Adding a passkey, making codes and changing the choices work through this page’s own scripts. Turn JavaScript on for them.",
  later: "Later",
  goOn: "Go on",
  account: "Back to the account",
  waitsTitle: "A recovery of your account waits",
  waits:
    "Whoever began it can make a new passkey for your account from this time on, and every old one ends.",
  begun: "Begun",
  from: "From",
  readyFrom: "New passkey from",
  waitsIfNot: "You have a passkey, so you need no recovery: cancel it unless you know better.",
  cancel: "Cancel the recovery",
  settling: "Your account was recovered lately. Nothing of it is loosened, and nothing here changed, before",
  second: "A second passkey",
  secondWhat:
    "The best way: nobody else can use it, and nothing waits. On another device or on a security key.",
  passkeys: (count: number) => (count === 1 ? "You have 1 passkey." : `You have ${count} passkeys.`),
  addPasskey: "Add a passkey",
  codes: "Recovery codes",
  codesWhat: (hours: number) =>
    `One of them, with a code from your mailbox, begins a recovery. It waits ${hours} hours, and mails tell you. Keep them on paper or in a safe place, apart from your mailbox.`,
  codesWhatAlone: (hours: number) =>
    `Your account has no address, so one of them alone begins a recovery. It waits ${hours} hours, and nobody can tell you by mail. Keep them on paper or in a safe place.`,
  codesNone: "You have no recovery codes.",
  codesLeft: (left: number) => `${left} of 8 codes are left`,
  codesMade: "made",
  makeCodes: "Make recovery codes",
  makeNewCodes: "Make new recovery codes",
  newCodesHint: "Those of before no longer work then.",
  codesShown: "These are your recovery codes. They are shown this once: keep them now.",
  codesCopied: "the recovery codes",
  choices: "What a recovery takes",
  emailAlone: "A code from my mailbox is enough",
  emailAloneHint:
    "Then whoever can read your mailbox can begin a recovery without a recovery code. Only the delay and the mails stand in between.",
  delay: "A recovery waits for",
  delayHint:
    "The time in which you can cancel it, and any use of your passkey does. It passes only while the service runs. Of one that waits already it stays as it is.",
  hours: (hours: number) => (hours % 24 === 0 && hours > 72 ? `${hours / 24} days` : `${hours} hours`),
  save: "Save",
};
