/** The messages about one policy event. */
interface Wording {
  readonly subject: string;
  /** Without a full stop. `at` is the time at which a pending change takes effect. */
  readonly event: (label: string, at: string) => string;
  /** The heading of the policy's sentences; undefined to leave them out. */
  readonly heading: string | undefined;
  readonly next: string;
}

const UNDO = "If this was not you, archive the key or set the policy again, and look at your passkeys:";

const CANCEL = "If this is not you, cancel it. The link opens a page with a button:";

const LOOK = "If this was not you, look at your account, its passkeys and its sessions:";

const SIGN_IN = "If you have a passkey, signing in with it cancels the recovery too.";

export const en = {
  account: {
    addressCode: {
      code: (service: string, host: string) =>
        `Your code to make this the e-mail address of an account of ${service} (${host}) is`,
      once: "It works once, within 5 minutes, in the session that asked for it.",
      place: (host: string) =>
        `Type it on ${host} only, and tell it nobody: whoever asks you for it wants your address for an account of theirs.`,
    },
    emailChanged: {
      subject: "Your account has another e-mail address",
      event: (place: string) => `Your account has another e-mail address from now on: ${place}.`,
      you: "If this was you, there is nothing to do.",
      notYou: (until: string) =>
        `If not, take it back until ${until}. The page asks before it does anything; then the account has this address again and every session of it ends:`,
      after:
        "The link signs nobody in. Sign in with your passkey afterwards, and look at your passkeys, tokens and applications.",
    },
    emailReverted: {
      subject: "A change of your e-mail address was taken back",
      own: (place: string) =>
        `Your account has this e-mail address again, and every session of it has ended: ${place}.`,
      other: (place: string) =>
        `The change that gave your account this e-mail address was taken back from the old one, and every session of it has ended: ${place}.`,
      next: "Sign in with your passkey, and look at your passkeys, tokens and applications:",
    },
    exported: {
      subject: "Your data was downloaded",
      event: (place: string) => `All data of your account was downloaded as one file: ${place}.`,
      what:
        "It says what the service knows of you: addresses, sessions, keys, applications and what happened in the account. Nobody signs in or signs anything with it.",
      notYou: "If this was not you, end the sessions that you do not know, and look at your passkeys:",
    },
    deletionAsked: {
      subject: "Your account is to be deleted",
      event: (place: string) =>
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
      event: (at: string) => `Somebody signed in to your account, which was to be deleted. It stays: ${at}.`,
      notYou: "If this was not you, look at your passkeys and sessions:",
    },
    deleted: {
      subject: "Your account was deleted",
      event: (at: string) => `Your account and all that belonged to it was deleted: ${at}.`,
      last:
        "Nobody signed in to it in the seven days since that was asked for. This is the last mail about it.",
    },
  },
  code: {
    subject: (service: string) => `Your ${service} code`,
    code: (service: string, host: string) => `Your code for ${service} (${host}) is`,
    once: "It works once, within 5 minutes, in the browser that asked for it.",
    place: (host: string) => `Type it on ${host} only, and tell it nobody: we never ask for it.`,
    notYou: "If you did not ask for this code, ignore this mail: nothing has changed.",
  },
  invitation: {
    subject: (service: string) => `An invitation to ${service}`,
    invited: (host: string) =>
      `You are invited to make an account at ${host}, with this address and a passkey. Open this link:`,
    until: (time: string) => `It works once, until ${time}.`,
    unknown: "If you know nothing of it, ignore this mail: nothing happens without you.",
  },
  newDevice: {
    subject: "New sign-in to your account",
    event: (place: string) => `Somebody signed in to your account from a device it did not know: ${place}.`,
    next: "If this was you, there is nothing to do. If not, end the session and look at your passkeys:",
  },
  passkey: {
    added: {
      subject: "A passkey was added",
      event: (name: string, place: string) => `The passkey "${name}" was added: ${place}.`,
    },
    removed: {
      subject: "A passkey was removed",
      event: (name: string, place: string) => `The passkey "${name}" was removed: ${place}.`,
    },
    next: "If this was not you, look at your passkeys and sessions:",
  },
  /** Keyed by policy event. */
  policy: {
    tightened: {
      subject: "A key's policy was set",
      event: (label) => `What the key "${label}" signs was limited`,
      heading: "From now on it signs nothing but this:",
      next: "If this was not you, end the session that did it, and look at your passkeys:",
    } as Wording,
    loosened: {
      subject: "A key's policy was made looser",
      event: (label) => `The key "${label}" may sign more from now on`,
      heading: "It signs:",
      next: UNDO,
    } as Wording,
    asked: {
      subject: "A key's policy is to become looser",
      event: (label, at) => `The key "${label}" may sign more from ${at} on`,
      heading: "From then on it signs:",
      next: "If this was not you, cancel it there before then, and look at your passkeys and sessions:",
    } as Wording,
    cancelled: {
      subject: "A key's policy stays as it is",
      event: (label) => `The change of the policy of the key "${label}" that waited was cancelled`,
      heading: undefined,
      next: "The key's page shows what it signs:",
    } as Wording,
    took_effect: {
      subject: "A key's policy has become looser",
      event: (label) => `The key "${label}" may sign more now: the change that waited has taken effect`,
      heading: "It signs:",
      next: UNDO,
    } as Wording,
    anything: "Anything that its owner, or a program or application of the owner's, asks for.",
  },
  /** Keyed by recovery event. */
  recovery: {
    begun: {
      subject: "Somebody began to recover your account",
      event: (place: string, readyAt: string) => [
        `A recovery of your account was begun: ${place}.`,
        `From ${readyAt} on, whoever began it can make a new passkey for your account. Every passkey of before ends then, and every session, token and application is signed out.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    waits: {
      subject: "A recovery of your account waits",
      event: (place: string, readyAt: string) => [
        `A recovery of your account waits. It was begun from ${place}.`,
        `From ${readyAt} on, whoever began it can make a new passkey for your account.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    ready: {
      subject: "Your account can be recovered now",
      event: (place: string, _readyAt: string) => [
        `A recovery of your account, begun from ${place}, has waited long enough: whoever began it can make a new passkey for your account now.`,
        "If this is you, open “Lost your passkey?” in the browser that you began it in.",
      ],
      next: CANCEL,
    },
    cancelled: {
      subject: "A recovery of your account was cancelled",
      event: (place: string, _readyAt: string) => [
        `The recovery of your account that waited was cancelled: ${place}.`,
      ],
      next: LOOK,
    },
    lapsed: {
      subject: "A recovery of your account came to nothing",
      event: (place: string, _readyAt: string) => [
        `The recovery of your account that was begun from ${place} was not finished in its time, and is over.`,
      ],
      next: "Your account is as it was:",
    },
    finished: {
      subject: "Your account was recovered",
      event: (place: string, _readyAt: string) => [
        `Your account was recovered: ${place}.`,
        "It has a new passkey. Every passkey of before is removed, and every session, token and application was signed out. What your keys may sign is as it was, and nothing of it can be loosened for seven days.",
      ],
      next: "If this was not you, tell whoever runs the service at once:",
    },
    codesMade: {
      subject: "Recovery codes were made",
      event: (place: string, _readyAt: string) => [
        `New recovery codes were made for your account: ${place}.`,
        "Those of before no longer work.",
      ],
      next: LOOK,
    },
    choicesChanged: {
      subject: "What a recovery of your account takes was changed",
      event: (
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
  },
  signature: {
    subject: "A signature waits for you",
    event: (asker: string, key: string, place: string) =>
      `"${asker}" asks for a signature with your key "${key}": ${place}.`,
    approve: "Nothing is signed unless you approve it with a passkey within the hour:",
    all: "Everything that waits for you, further requests of the next minutes included:",
  },
  token: {
    subject: "A token for a program was made",
    event: (name: string, place: string) => `The token "${name}" was made: ${place}.`,
    allKeys: "all your keys",
    keys: (count: number) => count === 1 ? "one key" : `${count} keys`,
    actions: { read: "read", sign: "sign", create: "create" } as Readonly<Record<string, string>>,
    rights: (keys: string, actions: string, end: string) =>
      `With it a program may use ${keys} (${actions}) until ${end}.`,
    next: "If this was not you, revoke it and look at your passkeys and sessions:",
  },
};
