import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";

/** The page for somebody who would make an account and may not. */
export const uninvitedWords = {
  titles: {
    closed: "No new accounts",
    uninvited: "By invitation only",
    over: "This invitation is over",
    other_address: "This invitation is for somebody else",
  },
  reasons: {
    closed: "This service takes no new accounts. Whoever runs it can change that.",
    uninvited:
      "Accounts here are made by invitation. If you were sent a link, open it again in this browser; if not, ask whoever runs this service for one.",
    over:
      "It was used, was withdrawn or has expired. Ask whoever sent it to you for another one. Nothing has changed here.",
    other_address:
      "It is for another e-mail address than the one you came with. Use that address, or ask whoever sent it to you for another invitation.",
  },
  identified: (provider: Html) =>
    html`${provider} has confirmed who you are, but no account here belongs to you yet.`,
  signIn: "Sign in",
  signInHint: "Whoever has an account already signs in with its passkey as ever.",
};

/** What stands above the first step of a sign-up that begins with an invitation. */
export const invitedWords = {
  anybody: "You are invited to make an account here.",
  address: (email: Html) => html`You are invited to make an account here, with the address ${email}.`,
};
