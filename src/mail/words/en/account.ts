/** The mails about what becomes of an account. */
export const accountMailWords = {
  addressCode: {
    code: (service: string, host: string) =>
      `Your code to make this the e-mail address of an account of ${service} (${host}) is`,
    once: "It works once, within 5 minutes, in the session that asked for it.",
    place: (host: string) =>
      `Type it on ${host} only, and tell it nobody: whoever asks you for it wants your address for an account of theirs.`,
  },
  emailChanged: {
    subject: "Your account has another e-mail address",
    news: (place: string) => `Your account has another e-mail address from now on: ${place}.`,
    you: "If this was you, there is nothing to do.",
    notYou: (until: string) =>
      `If not, take it back until ${until}. The page asks before it does anything; then the account has this address again and every session of it ends:`,
    after:
      "The link signs nobody in. Sign in with your passkey afterwards, and look at your passkeys, tokens and applications.",
  },
  takenBack: {
    subject: "A change of your e-mail address was taken back",
    own: (place: string) =>
      `Your account has this e-mail address again, and every session of it has ended: ${place}.`,
    other: (place: string) =>
      `The change that gave your account this e-mail address was taken back from the old one, and every session of it has ended: ${place}.`,
    next: "Sign in with your passkey, and look at your passkeys, tokens and applications:",
  },
  exported: {
    subject: "Your data was downloaded",
    news: (place: string) => `All data of your account was downloaded as one file: ${place}.`,
    what:
      "It says what the service knows of you: addresses, sessions, keys, applications and what happened in the account. Nobody signs in or signs anything with it.",
    notYou: "If this was not you, end the sessions that you do not know, and look at your passkeys:",
  },
  deletionAsked: {
    subject: "Your account is to be deleted",
    news: (place: string) =>
      `Somebody who is signed in to your account asked for it to be deleted: ${place}.`,
    due: (at: string) => `It goes on ${at}.`,
    keys: (count: number) =>
      `${
        count === 1 ? "Its key goes with it" : `Its ${count} keys go with it`
      }: whatever an address of it still holds then can never be moved again. Programs and applications can sign until then.`,
    keep: "To keep it, sign in with a passkey before then: that alone stops it.",
  },
  deletionStopped: {
    subject: "Your account is not deleted",
    news: (at: string) => `Somebody signed in to your account, which was to be deleted. It stays: ${at}.`,
    notYou: "If this was not you, look at your passkeys and sessions:",
  },
  deleted: {
    subject: "Your account was deleted",
    news: (at: string) => `Your account and all that belonged to it was deleted: ${at}.`,
    last:
      "Nobody signed in to it in the seven days since that was asked for. This is the last mail about it.",
  },
};
