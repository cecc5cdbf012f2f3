import { type Html, html } from "../../lib/html.ts";

export const en = {
  enter: {
    title: "Enter the administration",
    hint: "For whoever runs this service. It ends after an hour, or when the browser is closed.",
    key: "Admin key",
    keyHint: "The service’s ADMIN_API_KEY; in development it is in the data folder.",
    submit: "Enter",
    wrong: "That is not the admin key.",
    named: (name: Html) => html`The administrator allows ${name} to enter with a passkey.`,
    passkey: "Enter with a passkey",
    signIn: "Or sign in as an administrator",
  },
  people: {
    find: "Address or account id",
    findHint: "How the address begins, or a whole id.",
    none: "There is no account yet.",
    noneFound: "No account’s address begins so, and none has this id.",
    nobody: "An account without an address",
    since: "Made",
    disabledSince: "Disabled",
    disable: "Disable",
    disableMeans:
      "Its sessions end, nobody signs in to it, and its tokens and the applications it let in are refused until it is enabled again. Its keys stay as they are.",
    enable: "Enable again",
    endSessions: "End its sessions",
    ended: (sessions: number) => sessions === 1 ? "1 session has ended." : `${sessions} sessions have ended.`,
    note:
      "An account’s owner finds each act in their activity. Nothing here shows or uses a key, and no recovery begins here.",
  },
  guests: {
    none: "Nobody was invited yet.",
    rules: {
      open: "Anybody may make an account (SIGN_UP=open): nobody needs an invitation.",
      invite: "An account takes an invitation (SIGN_UP=invite).",
      closed: "No accounts are made (SIGN_UP=closed): invitations do not help.",
    },
    make: "Invite",
    email: "E-mail address",
    emailHint: "The link is sent to it and is for it alone. Leave it empty for anybody with the link.",
    uses: "Accounts it makes",
    days: "Good for how many days",
    made: "Copy the link now: it is shown this once.",
    link: "Link",
    anybody: "Anybody with the link",
    used: (used: number, uses: number) => `${used} of ${uses} used`,
    until: "Until",
    unusable: "Over",
    withdraw: "Withdraw",
    wrong: "Not made: correct what is marked.",
  },
};
