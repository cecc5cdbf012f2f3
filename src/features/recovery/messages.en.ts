export const en = {
  recover: {
    title: "Lost your passkey?",
    otherDevice: "If another device of yours has a passkey of the account, sign in there instead.",
    signIn: "Sign in",
    what: "Otherwise a recovery lets you make a new passkey after a delay, in this browser alone.",
    emailAddress: "E-mail address",
    emailHint: "We send a code to it, whether it has an account here or not.",
    sendCode: "Send the code",
    code: "Code from the mail",
    codeHint: "Eight characters. They work for five minutes, in this browser only.",
    recoveryCode: "Recovery code",
    recoveryCodeHint:
      "One of the eight that you kept. Leave it out only if your account allows a recovery by e-mail alone.",
    begin: "Begin the recovery",
    newCode: "Send a new code",
    outbox: "Development: no mail is sent.",
    openOutbox: "Open the outbox",
    withoutAddress: "My account has no e-mail address",
    withoutAddressHint: "Then one of your recovery codes is enough. You need the same one again at the end.",
    waitsTitle: "Your recovery waits",
    readyTitle: "Make a new passkey",
    begun: "Begun",
    readyFrom: "New passkey from",
    until: "And until",
    waits:
      "Come back then, in this browser: no other can finish it, so keep its cookies. A mail goes to the account’s address each day, and each can cancel it. So does any use of a passkey.",
    oneAlone: "This browser can finish one recovery at a time: begin another account’s in another browser.",
    ready:
      "Your recovery has waited long enough. With the new passkey every old one ends, and every session, token and application is signed out. For seven days nothing of the account can be loosened.",
    codeAgain: "To show that the mailbox is still yours, have a code sent to it once more.",
    recoveryCodeAgain: "Type the recovery code that you began with once more.",
    makePasskey: "Make a new passkey",
    cancelTitle: "Cancel the recovery?",
    cancelWhat: "Somebody who has no passkey of your account began to recover it.",
    from: "From",
    cancelIfNot: "If that was not you, cancel it. If it was, leave it is.",
    cancel: "Cancel the recovery",
    cancelledTitle: "The recovery is cancelled",
    cancelled:
      "Nobody gets your account by it. Whoever began it can read your mailbox, has a recovery code of yours, or both: look at both, and make new recovery codes.",
    afterwards: "Sign in and look at my way back",
    nothingTitle: "Nothing waits",
    nothing: "This recovery is over, or was cancelled, or the link is not one of ours.",
  },
  recoverySettings: {
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
    inCooldown:
      "Your account was recovered lately. Nothing of it is loosened, and nothing here changed, before",
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
  },
  scripts: {
    "recover": {
      sent: "We sent a code to {email}.",
      begun: "The recovery was begun.",
    },
    "recovery-settings": {
      added: "“{name}” was added.",
      made: "The codes were made.",
      saved: "Saved.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
