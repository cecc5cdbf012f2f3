import { html, type HtmlValue } from "../../lib/html.ts";

export const en = {
  account: {
    title: "Account",
    needsScript:
      "Adding, renaming and deleting passkeys and ending sessions work through this page’s own scripts. Turn JavaScript on for them; reading, withdrawing from applications and signing out work without.",
    onThisPage: "On this page",
    you: "You",
    name: "Name",
    emailAddress: "E-mail address",
    none: "None",
    since: "Account since",
    id: "Account id",
    theId: "the account id",
    language: "Language",
    /** The name of the language of pages and mails, in a sentence. */
    languageIs: "English",
    activity: {
      title: "Activity",
      latest: "The latest of what happened in your account.",
      all: "All activity",
      unproven:
        "Some of the latest entries cannot be proven to be as the service wrote them. Somebody has changed the log: tell the operator.",
      none: "No events to show.",
    },
    passkeys: {
      title: "Passkeys",
      onlyPasskey: (isMailed: boolean) =>
        `They are the only way to sign in. Adding and deleting one asks for a passkey when you signed in more than ten minutes ago${
          isMailed ? ", and is told to you by mail" : ""
        }.`,
      synced: "Synced",
      notYetSynced: "Not backed up yet",
      onOneDevice: "On one device",
      rename: "Rename",
      delete: "Delete",
      usedNow: "Used for this session",
      made: "Made",
      lastUsed: "Last used",
      neverUsed: "Not used yet",
      canBeSynced:
        "It can be copied to your other devices, but is not. Turn syncing on in its password manager.",
      allLost: "If all of them are lost:",
      recoverySettings: "your way back",
      onlyOne: "Your only passkey cannot be deleted. Add another one first.",
      addSecond: "Add a second passkey.",
      onlyIsSynced:
        "This one is synced, but whoever loses the password manager or the account behind it cannot sign in any more.",
      onlyIsNotSynced: "This one is on one device only: if that is lost, you cannot sign in any more.",
      secondHelps:
        "A passkey on another device or on a security key keeps your account and its keys within reach.",
      newName: html`Name of a new passkey <span class="optional">(optional)</span>`,
      exampleName: "Blue security key",
      add: "Add a passkey",
      storedAt: "Your browser asks where to keep it: here, on a phone or on a security key.",
      passkey: "passkey",
      name: "Name",
      save: "Save",
      cancel: "Cancel",
      renameTitle: (passkey: HtmlValue) => html`Rename ${passkey}`,
      deleteTitle: (passkey: HtmlValue) => html`Delete ${passkey}?`,
      deleteMeans:
        "It no longer signs you in, and every session that it opened ends. Applications keep their access. Where your browser cannot do it by itself, delete it from your password manager or device too.",
      deleteCurrent: "You signed in here with this passkey, so you are signed out here too.",
    },
    sessions: {
      title: "Sessions",
      hint:
        "Where you are signed in. End whatever you do not know, then look at your passkeys. The device is what the browser said it is.",
      current: "This session",
      from: "From",
      with: "With",
      since: "Since",
      lastSeen: "Last seen",
      end: "End",
      theSessionOf: (device: string) => `the session of ${device}`,
      endOthers: "End all other sessions",
      everywhere: "Sign out everywhere…",
      everywhereTitle: "Sign out everywhere?",
      everywhereMeans:
        "Every session ends, this one too. Applications that you let in keep their access until you withdraw it.",
      signOutEverywhere: "Sign out everywhere",
      cancel: "Cancel",
    },
    applications: {
      title: "Applications",
      hint: "They can do nothing with your keys that does not stand here. What is withdrawn ends at once.",
      unfinished: "Your session had ended, so nothing was withdrawn. Withdraw here once more.",
      withdrawn: (name: HtmlValue) => html`“${name}” has no access any more.`,
      none: "You have let in no application.",
      eachSees: "Each of them sees:",
      sees: (keys: number) => keys === 1 ? "Sees one of your keys" : `Sees ${keys} of your keys`,
      signsWith: (keys: number) =>
        keys === 1 ? "Signs with one of your keys" : `Signs with ${keys} of your keys`,
      until: (time: HtmlValue) => html`Until ${time} at the latest`,
      since: "Since",
      withdraw: "Withdraw",
      from: (name: string) => `from ${name}`,
      means: "It loses its access at once, and has to ask you again.",
    },
  },
  scripts: {
    "passkeys": {
      loadAgain: "Load the page again to see it.",
      added: "“{name}” was added.",
      renamed: "The passkey is now called “{name}”.",
      deleted: "“{name}” was deleted.",
      cannotMake:
        "This browser cannot make passkeys. To add one, bring it up to date, or use another browser or device.",
    },
    "account": {
      loadAgain: "Load the page again to see it.",
      ended: "The session of {device} has ended.",
      endedOthers: { one: "{count} session has ended.", other: "{count} sessions have ended." },
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
