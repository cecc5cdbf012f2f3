import { type Html, html } from "../../lib/html.ts";

export const en = {
  enter: {
    title: "Enter the administration",
    hint: "For the operator of this service. Access ends after an hour, or when you close the browser.",
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
    findHint: "The beginning of an address, or a full account id.",
    none: "There is no account yet.",
    noneFound: "No account has this id or an address that begins like this.",
    withoutAddress: "An account without an address",
    since: "Created",
    disabledSince: "Disabled",
    disable: "Disable",
    disableMeans:
      "Its sessions end. Until you enable it again, its sign-ins, tokens and applications are refused. Its keys stay as they are.",
    enable: "Enable again",
    endSessions: "End its sessions",
    ended: (sessions: number) => sessions === 1 ? "1 session has ended." : `${sessions} sessions have ended.`,
    note:
      "The owner of an account sees each of these actions in their activity. You cannot see or use a key here, or begin a recovery.",
  },
  groups: {
    note:
      "An application can be for the members of some groups only, and see the names of a user’s groups (scope groups).",
    name: "Name of a new group",
    create: "Create the group",
    none: "There is no group yet.",
    since: "Created",
    account: "Address or account id",
    accountHint: "The full address or id of the account to add.",
    add: "Add",
    noMembers: "No account is in this group yet.",
    remove: "Remove",
    deleteGroup: "Delete the group",
    deleteMeans: "Its members lose access to applications that they may use by this group only.",
  },
  guests: {
    none: "There is no invitation yet.",
    rules: {
      open: "Anyone can create an account without an invitation (SIGN_UP=open).",
      invite: "Creating an account requires an invitation (SIGN_UP=invite).",
      closed: "No account can be created, not even with an invitation (SIGN_UP=closed).",
    },
    make: "Invite",
    email: "E-mail address",
    emailHint:
      "The link is sent to this address and works for it only. Leave it empty to let anyone with the link sign up.",
    uses: "Number of accounts",
    days: "Valid for how many days",
    made: "Copy the link now. It is shown only once.",
    link: "Link",
    anyone: "Anyone with the link",
    used: (used: number, uses: number) => `${used} of ${uses} used`,
    until: "Until",
    unusable: "No longer valid",
    withdraw: "Withdraw",
    wrong: "Not created. Correct the marked fields.",
  },
};
