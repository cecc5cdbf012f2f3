export const en = {
  settings: {
    back: "Back to the account",
    needsScript: "Changing these settings needs JavaScript. Turn it on for that. You can read without it.",
    onThisPage: "On this page",
    name: "Name",
    nameHint: "Applications that you sign in to can see it. Leave it empty for no name.",
    save: "Save",
    email: "E-mail address",
    emailNow: (email: string) => `Now: ${email}.`,
    emailNone: "This account has no e-mail address, so you are not notified of events in it.",
    emailHint:
      "We send a code to the new address. The old address is notified and can undo the change for seven days. Until then no other account can use it. If you changed the address in the last seven days, the link in the earlier mail undoes both changes instead.",
    emailNoMail: "This service does not send mails, so it cannot verify an address.",
    newEmail: "New e-mail address",
    sendCode: "Send the code",
    code: "Code",
    codeHint: "Six digits. It works once, within five minutes, in this session.",
    changeEmail: "Change the address",
    otherAddress: "Use another address",
    identities: "Other providers",
    identitiesHint: "They can confirm who you are when you sign in. You always need your passkey too.",
    noIdentities: "No other provider is linked.",
    unlinked: "no longer configured",
    since: "Linked",
    unlink: "Unlink",
    unlinkWhat: (provider: string) => ` ${provider}`,
    link: (provider: string) => `Link ${provider}`,
    linkOutcomes: {
      linked: (provider: string) => `${provider} is linked to your account.`,
      already: (provider: string) => `This account of ${provider} was already linked to yours.`,
      taken: (provider: string) =>
        `This account of ${provider} belongs to another account here, and stays there. Nothing has changed.`,
    },
    export: "Your data",
    exportHint:
      "All that the service knows about you, as one JSON file: profile, public parts of passkeys, sessions, keys with addresses and index, tokens, applications, and your activity with its proof. It contains no secret and no private key. Anyone who reads it learns all of that, so store it safely.",
    exportButton: "Download your data",
    deletion: "Delete the account",
    deletionHint:
      "Every session ends at once, and the account is deleted after seven days. Sign in before then to keep it.",
    deletionKeys: (count: number) =>
      count === 1
        ? "Its key is deleted with it. Assets that are left at the key’s address can never be moved again. Move them first, on every chain."
        : `Its ${count} keys are deleted with it. Assets that are left at their addresses can never be moved again. Move them first, on every chain.`,
    deletionUntil:
      "Until then programs and applications can sign as before. If they should not, revoke their tokens and withdraw their access.",
    deletionRestore:
      "Keys are derived from the service’s root seed and the account id, and are not stored. An operator who restores a backup from before the deletion restores the account and its keys too. Your data in such backups is as safe as the backups are.",
    deletionLog:
      "The log keeps its entries, under the account id only. It never contained your address or name.",
    confirm: (name: string) => `Type ${name} to confirm`,
    deleteButton: "Delete the account in seven days",
    deletedTitle: "Your account will be deleted",
    deleted: "You are signed out everywhere. There is nothing else to do.",
    deletedAt: "It is deleted on",
    deletedKeep: "To keep it, sign in with a passkey before then.",
    signIn: "Sign in and keep it",
  },
  /** The page behind the link sent to a replaced address. */
  revertEmail: {
    title: "Undo the change?",
    asks: "The account with this e-mail address was given another address. Was that not you?",
    does:
      "Then undo the change. The account has this address again, and all its sessions end. A pending deletion or recovery of the account is cancelled. Keys, passkeys, tokens and applications stay as they are. This does not sign you in.",
    button: "Undo the change",
    leave: "If it was you, close this page. Then nothing changes.",
    doneTitle: "The change was undone",
    done:
      "The account has its old address again, and all its sessions have ended. Sign in with your passkey and check your passkeys, tokens and applications. The person who changed the address may have added one.",
    signIn: "Sign in",
  },
  scripts: {
    "settings": {
      saved: "Saved.",
      codeSent: "We sent a code to {email}.",
      sixDigits: "The code has six digits.",
      changed: "Your e-mail address is now {email}. The old address is notified.",
      unlinked: "{provider} is unlinked.",
      exported: "Your browser has saved the file.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
