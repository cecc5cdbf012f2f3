import { html, type HtmlValue } from "../../lib/html.ts";

export const en = {
  account: {
    title: "Account",
    needsScript:
      "Managing passkeys and ending sessions need JavaScript. Turn it on for them. You can read, withdraw access and sign out without it.",
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
      latest: "The latest events in your account.",
      all: "All activity",
      unverified:
        "Some of the latest entries could not be verified. The log was changed. Notify the operator.",
      none: "No events to show.",
    },
    passkeys: {
      title: "Passkeys",
      onlyPasskey: (isMailed: boolean) =>
        `You sign in with a passkey only. Adding or deleting one asks for a passkey if you signed in more than ten minutes ago.${
          isMailed ? " You are notified by mail." : ""
        }`,
      synced: "Synced",
      notYetSynced: "Not backed up yet",
      onOneDevice: "On one device",
      rename: "Rename",
      delete: "Delete",
      usedNow: "Used for this session",
      made: "Created",
      lastUsed: "Last used",
      neverUsed: "Not used yet",
      canBeSynced: "It is not synced to your other devices yet. Turn on syncing in your password manager.",
      allLost: "If you lose all of them:",
      recoverySettings: "account recovery",
      onlyOne: "Your only passkey cannot be deleted. Add another one first.",
      addSecond: "Add a second passkey.",
      onlyIsSynced:
        "This one is synced. If you lose your password manager or its account, you cannot sign in any more.",
      onlyIsNotSynced:
        "This one is on one device only. If you lose that device, you cannot sign in any more.",
      secondHelps:
        "With a second passkey on another device or a security key, you keep access to your account and its keys.",
      newName: html`Name of a new passkey <span class="optional">(optional)</span>`,
      exampleName: "Blue security key",
      add: "Add a passkey",
      storedAt: "Your browser asks where to store it: on this device, on a phone or on a security key.",
      passkey: "passkey",
      name: "Name",
      save: "Save",
      cancel: "Cancel",
      renameTitle: (passkey: HtmlValue) => html`Rename ${passkey}`,
      deleteTitle: (passkey: HtmlValue) => html`Delete ${passkey}?`,
      deleteMeans:
        "You can no longer sign in with it, and every session that began with it ends. Applications keep their access. If your browser does not delete it from your password manager or device, do so yourself.",
      deleteCurrent: "You signed in here with this passkey, so you are signed out here too.",
    },
    sessions: {
      title: "Sessions",
      hint:
        "Where you are signed in. If you do not recognise a session, end it and check your passkeys. The device is what the browser reported.",
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
        "Every session ends, this one too. Applications keep their access until you withdraw it.",
      signOutEverywhere: "Sign out everywhere",
      cancel: "Cancel",
    },
    applications: {
      title: "Applications",
      hint:
        "This list shows everything they can do with your keys. When you withdraw access, it ends at once.",
      unfinished: "Your session had ended, so nothing was withdrawn. Withdraw the access again.",
      withdrawn: (name: HtmlValue) => html`“${name}” has no access any more.`,
      none: "No application has access to your account.",
      itSees: "It sees:",
      sees: (keys: number) => keys === 1 ? "Sees one of your keys" : `Sees ${keys} of your keys`,
      signsWith: (keys: number) =>
        keys === 1 ? "Signs with one of your keys" : `Signs with ${keys} of your keys`,
      until: (time: HtmlValue) => html`Until ${time} at the latest`,
      since: "Since",
      stop: "Stop everything",
      withdraw: "Withdraw",
      from: (name: string) => `from ${name}`,
      means: "It loses its access at once, and has to ask you again.",
    },
  },
  scripts: {
    "passkeys": {
      loadAgain: "Reload the page to see it.",
      added: "“{name}” was added.",
      renamed: "The passkey is now called “{name}”.",
      deleted: "“{name}” was deleted.",
      cannotMake:
        "This browser cannot create passkeys. To add one, update it, or use another browser or device.",
    },
    "account": {
      loadAgain: "Reload the page to see it.",
      ended: "The session of {device} has ended.",
      endedOthers: { one: "{count} session has ended.", other: "{count} sessions have ended." },
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
