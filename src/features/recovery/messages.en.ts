export const en = {
  recover: {
    title: "Lost your passkey?",
    otherDevice: "If another device of yours has a passkey of the account, sign in there instead.",
    signIn: "Sign in",
    what: "Otherwise begin a recovery. After a delay you can create a new passkey, in this browser only.",
    emailAddress: "E-mail address",
    emailHint: "We send a code to it, whether it has an account here or not.",
    sendCode: "Send the code",
    code: "Code from the mail",
    codeHint: "Eight characters. They work for five minutes, in this browser only.",
    recoveryCode: "Recovery code",
    recoveryCodeHint:
      "One of your eight recovery codes. Leave it empty only if your account allows a recovery by e-mail alone.",
    begin: "Begin the recovery",
    newCode: "Send a new code",
    outbox: "Development: no mail is sent.",
    openOutbox: "Open the outbox",
    withoutAddress: "My account has no e-mail address",
    withoutAddressHint: "Then one of your recovery codes is enough. You need the same one again at the end.",
    waitsTitle: "Your recovery is pending",
    readyTitle: "Create a new passkey",
    begun: "Begun",
    readyFrom: "New passkey from",
    until: "And until",
    waits:
      "Come back at that time in this browser. Keep its cookies, because no other browser can finish the recovery. A mail is sent to the account’s address each day, with a link that cancels the recovery. Any use of a passkey cancels it too.",
    oneAlone:
      "This browser can finish one recovery at a time. Begin the recovery of another account in another browser.",
    ready:
      "The delay has passed. When you create the new passkey, all old passkeys are removed, and every session, token and application is signed out. For seven days the protection of the account cannot be reduced.",
    codeAgain: "To confirm that the mailbox is still yours, send a code to it again.",
    recoveryCodeAgain: "Enter the recovery code that you began with again.",
    makePasskey: "Create a new passkey",
    cancelTitle: "Cancel the recovery?",
    cancelWhat: "A recovery of your account was begun without a passkey.",
    from: "From",
    cancelIfNot: "If that was not you, cancel it. If it was, leave it as it is.",
    cancel: "Cancel the recovery",
    cancelledTitle: "The recovery is cancelled",
    cancelled:
      "It can no longer give access to your account. The person who began it can read your mailbox, has one of your recovery codes, or both. Secure your mailbox and create new recovery codes.",
    afterwards: "Sign in and check account recovery",
    nothingTitle: "No pending recovery",
    nothing: "This recovery was finished, was cancelled or has expired, or the link is not valid.",
  },
  recoverySettings: {
    title: "Account recovery",
    titleAfterSignUp: "Set up account recovery",
    introduction:
      "Only your passkey opens your account. If you lose it, you can get back in with one of these.",
    needsScript:
      "Adding a passkey, creating codes and changing these settings need JavaScript. Turn it on for them.",
    later: "Later",
    goOn: "Continue",
    account: "Back to the account",
    waitsTitle: "A recovery of your account is pending",
    waits:
      "From this time on, the person who began it can create a new passkey for your account. All old passkeys are removed then.",
    begun: "Begun",
    from: "From",
    readyFrom: "New passkey from",
    waitsIfNot: "You have a passkey, so you need no recovery. Cancel it, unless you began it on purpose.",
    cancel: "Cancel the recovery",
    inCooldown:
      "Your account was recovered recently. Its protection cannot be reduced, and these settings cannot be changed, before",
    second: "A second passkey",
    secondWhat:
      "The best way: only you can use it, and there is no delay. Put it on another device or a security key.",
    passkeys: (count: number) => (count === 1 ? "You have 1 passkey." : `You have ${count} passkeys.`),
    addPasskey: "Add a passkey",
    codes: "Recovery codes",
    codesWhat: (hours: number) =>
      `With one of them and a code from your mailbox you can begin a recovery. It takes ${hours} hours, and mails notify you. Keep the codes on paper or in a safe place, apart from your mailbox.`,
    codesWhatAlone: (hours: number) =>
      `Your account has no address, so one of them is enough to begin a recovery. It takes ${hours} hours, and no mail notifies you. Keep the codes on paper or in a safe place.`,
    codesNone: "You have no recovery codes.",
    codesLeft: (left: number) => `${left} of 8 codes are left`,
    codesMade: "created",
    makeCodes: "Create recovery codes",
    makeNewCodes: "Create new recovery codes",
    newCodesHint: "The previous codes no longer work then.",
    codesShown: "These are your recovery codes. They are shown only once. Save them now.",
    codesCopied: "the recovery codes",
    choices: "What a recovery requires",
    emailAlone: "A code from my mailbox is enough",
    emailAloneHint:
      "Then anyone who can read your mailbox can begin a recovery without a recovery code. Only the delay and the mails protect you.",
    delay: "Delay of a recovery",
    delayHint:
      "During the delay you can cancel the recovery. Any use of your passkey cancels it too. The delay passes only while the service runs. The delay of a pending recovery does not change.",
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
      made: "The codes were created.",
      saved: "Saved.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
