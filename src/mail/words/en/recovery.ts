const CANCEL = "If this is not you, cancel it. The link opens a page with a button:";
const LOOK = "If this was not you, look at your account, its passkeys and its sessions:";
const SIGN_IN = "If you have a passkey, signing in with it cancels the recovery too.";

/** The mails that tell what became of an account's way back. */
export const recoveryMailWords = {
  begun: {
    subject: "Somebody began to recover your account",
    news: (place: string, readyAt: string) => [
      `A recovery of your account was begun: ${place}.`,
      `From ${readyAt} on, whoever began it can make a new passkey for your account. Every passkey of before ends then, and every session, token and application is signed out.`,
      SIGN_IN,
    ],
    next: CANCEL,
  },
  waits: {
    subject: "A recovery of your account waits",
    news: (place: string, readyAt: string) => [
      `A recovery of your account waits. It was begun from ${place}.`,
      `From ${readyAt} on, whoever began it can make a new passkey for your account.`,
      SIGN_IN,
    ],
    next: CANCEL,
  },
  ready: {
    subject: "Your account can be recovered now",
    news: (place: string, _readyAt: string) => [
      `A recovery of your account, begun from ${place}, has waited long enough: whoever began it can make a new passkey for your account now.`,
      "If this is you, open “Lost your passkey?” in the browser that you began it in.",
    ],
    next: CANCEL,
  },
  cancelled: {
    subject: "A recovery of your account was cancelled",
    news: (place: string, _readyAt: string) => [
      `The recovery of your account that waited was cancelled: ${place}.`,
    ],
    next: LOOK,
  },
  lapsed: {
    subject: "A recovery of your account came to nothing",
    news: (place: string, _readyAt: string) => [
      `The recovery of your account that was begun from ${place} was not finished in its time, and is over.`,
    ],
    next: "Your account is as it was:",
  },
  finished: {
    subject: "Your account was recovered",
    news: (place: string, _readyAt: string) => [
      `Your account was recovered: ${place}.`,
      "It has a new passkey. Every passkey of before is removed, and every session, token and application was signed out. What your keys may sign is as it was, and nothing of it can be loosened for seven days.",
    ],
    next: "If this was not you, tell whoever runs the service at once:",
  },
  codesMade: {
    subject: "Recovery codes were made",
    news: (place: string, _readyAt: string) => [
      `New recovery codes were made for your account: ${place}.`,
      "Those of before no longer work.",
    ],
    next: LOOK,
  },
  choicesChanged: {
    subject: "What a recovery of your account takes was changed",
    news: (
      place: string,
      _readyAt: string,
    ) => [`What a recovery of your account takes was changed: ${place}.`],
    next: LOOK,
  },
  delay: (hours: number) => `A recovery waits for ${hours} hours.`,
  alone: "A code from your mailbox is enough to begin one.",
  notAlone: "To begin one takes a recovery code as well as a code from your mailbox.",
  code: {
    subject: (service: string) => `Your ${service} code for a lost passkey`,
    code: (service: string, host: string) =>
      `Somebody who lost a passkey for ${service} (${host}) named this address. The code is`,
    once:
      "It works once, within 5 minutes, in the browser that asked for it. By itself it gives nobody an account.",
    place: (host: string) => `Type it on ${host} only, and tell it nobody: we never ask for it.`,
    notYou: "If you did not ask for this code, ignore this mail: nothing has changed.",
  },
};
