export const en = {
  settings: {
    back: "Back to the account",
    needsScript:
      "Changing anything here works through this page’s own scripts. Turn JavaScript on for it; reading works without.",
    onThisPage: "On this page",
    name: "Name",
    nameHint: "Applications that you sign in to see it. Leave it empty for none.",
    save: "Save",
    email: "E-mail address",
    emailNow: (email: string) => `Now: ${email}.`,
    emailNone: "This account has no address: nobody is told of what happens in it.",
    emailHint:
      "A code goes to the new address. The old one is told, and can take the change back for seven days; nobody else gets it meanwhile.",
    emailNoMail: "This service sends no mails, so an address cannot be proven here.",
    newEmail: "New e-mail address",
    sendCode: "Send the code",
    code: "Code",
    codeHint: "Six digits. It works once, within five minutes, in this session.",
    changeEmail: "Change the address",
    otherAddress: "Use another address",
    identities: "Other providers",
    identitiesHint:
      "They can say who you are when you sign in; your passkey is asked for all the same. Nobody signs in with one of them alone.",
    noIdentities: "No other provider is linked.",
    unlinked: "configured no more",
    since: "Linked",
    unlink: "Unlink",
    unlinkWhat: (provider: string) => ` ${provider}`,
    link: (provider: string) => `Link ${provider}`,
    linkOutcomes: {
      linked: (provider: string) => `${provider} is linked to your account.`,
      already: (provider: string) => `This account of ${provider} was linked to yours already.`,
      taken: (provider: string) =>
        `This account of ${provider} belongs to another account here, and stays there. Nothing has changed.`,
    },
    export: "Your data",
    exportHint:
      "All that is known of you as one JSON file: profile, passkeys’ public parts, sessions, keys with addresses and index, tokens, applications, and your activity with what proves it. It holds no secret and no private key, but whoever reads it learns all of that: keep it well.",
    exportButton: "Download your data",
    deletion: "Delete the account",
    deletionHint: "It takes seven days, and every session ends at once. Signing in until then keeps it.",
    deletionKeys: (count: number) =>
      count === 1
        ? "Its key goes with it. Whatever the key’s address still holds then can never be moved again: empty it first, on every chain."
        : `Its ${count} keys go with it. Whatever one of their addresses still holds then can never be moved again: empty them first, on every chain.`,
    deletionUntil:
      "Until then programs and applications that may sign can sign as before. Revoke their tokens and access where they should not.",
    deletionRestore:
      "Keys are made from the service’s root seed and the account’s id, and are nowhere stored. An operator who puts back a backup from before the deletion has the account, and can make its keys, again; your data there is as safe as those backups are.",
    deletionLog:
      "What was recorded stays in the log, under the account’s id alone: it never had your address or name.",
    confirm: (name: string) => `Type ${name} to confirm`,
    deleteButton: "Delete the account in seven days",
    deletedTitle: "Your account is to be deleted",
    deleted: "You are signed out everywhere. Nothing else has to be done.",
    deletedAt: "It goes on",
    deletedKeep: "To keep it, sign in with a passkey before then.",
    signIn: "Sign in and keep it",
  },
  /** The page behind the link sent to a replaced address. */
  revertEmail: {
    title: "Take the change back?",
    asks: "The account that had this e-mail address has another one now. Was that not you?",
    does:
      "Then take it back: the account has this address again, and every session of it ends. If it was to be deleted it stays, and a recovery that waits is cancelled. Keys, passkeys, tokens and applications stay as they are. You are not signed in by this.",
    button: "Take it back",
    leave: "If it was you, close this page: nothing is taken back then.",
    doneTitle: "The change is taken back",
    done:
      "The account has its old address again, and every session has ended. Sign in with your passkey and look at your passkeys, tokens and applications: whoever changed the address may have added one.",
    signIn: "Sign in",
  },
  scripts: {
    "settings": {
      saved: "Saved.",
      codeSent: "We sent a code to {email}.",
      sixDigits: "The code has six digits.",
      changed: "Your e-mail address is {email} now. The old one is told.",
      unlinked: "{provider} is unlinked.",
      exported: "The file is ready: your browser has saved it.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
