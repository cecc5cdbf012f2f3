/** The messages about one policy event. */
interface Wording {
  readonly subject: string;
  /** Without a full stop. `at` is the time at which a pending change takes effect. */
  readonly event: (label: string, at: string) => string;
  /** The heading of the policy's sentences; undefined to leave them out. */
  readonly heading: string | undefined;
  readonly next: string;
}

const UNDO = "If this was not you, archive the key or set the policy again, and check your passkeys:";

const CANCEL = "If this was not you, cancel it. The link opens a page with a button:";

const LOOK = "If this was not you, check your account, its passkeys and its sessions:";

const SIGN_IN = "If you have a passkey, signing in with it cancels the recovery too.";

export const en = {
  account: {
    addressCode: {
      code: (service: string, host: string) =>
        `Your code to use this e-mail address for an account of ${service} (${host}) is`,
      once: "It works once, within 5 minutes, in the session that asked for it.",
      place: (host: string) =>
        `Enter it on ${host} only, and do not share it. Anyone who asks you for it wants to use your address for their own account.`,
    },
    emailChanged: {
      subject: "The e-mail address of your account was changed",
      event: (place: string) => `The e-mail address of your account was changed: ${place}.`,
      you: "If this was you, there is nothing to do.",
      notYou: (until: string) =>
        `If not, undo the change before ${until}. The page asks before it does anything. The account then has this address again, and all its sessions end:`,
      after:
        "The link does not sign you in. Sign in with your passkey afterwards, and check your passkeys, tokens and applications.",
      earlierLink: (until: string) =>
        `It was not the first change in the last days. The link in the mail about the first one undoes both until ${until}.`,
      withoutLink:
        "If this was not you, sign in with your passkey, and check your address, passkeys and sessions:",
    },
    emailReverted: {
      subject: "A change of your e-mail address was undone",
      own: (place: string) =>
        `Your account has this e-mail address again, and all its sessions have ended: ${place}.`,
      other: (place: string) =>
        `The change that gave your account this e-mail address was undone from the old address, and all its sessions have ended: ${place}.`,
      next: "Sign in with your passkey, and check your passkeys, tokens and applications:",
    },
    exported: {
      subject: "Your data was downloaded",
      event: (place: string) => `All data of your account was downloaded as one file: ${place}.`,
      what:
        "It contains what the service knows about you: addresses, sessions, keys, applications and what happened in the account. It cannot be used to sign in or to sign anything.",
      notYou: "If this was not you, end the sessions that you do not recognise, and check your passkeys:",
    },
    deletionAsked: {
      subject: "Your account will be deleted",
      event: (place: string) =>
        `The deletion of your account was requested from a signed-in session: ${place}.`,
      due: (at: string) => `It is deleted on ${at}.`,
      keys: (count: number) =>
        `${
          count === 1 ? "Its key is deleted with it" : `Its ${count} keys are deleted with it`
        }. Assets that are left at an address of the account can never be moved again. Programs and applications can sign until then.`,
      keep: "To keep it, sign in with a passkey before then.",
    },
    deletionStopped: {
      subject: "Your account will not be deleted",
      event: (at: string) => `A sign-in to your account has cancelled its deletion: ${at}.`,
      notYou: "If this was not you, check your passkeys and sessions:",
    },
    deleted: {
      subject: "Your account was deleted",
      event: (at: string) => `Your account and everything in it was deleted: ${at}.`,
      last:
        "There was no sign-in in the seven days after the deletion was requested. This is the last mail about it.",
    },
  },
  code: {
    subject: (service: string) => `Your ${service} code`,
    code: (service: string, host: string) => `Your code for ${service} (${host}) is`,
    once: "It works once, within 5 minutes, in the browser that asked for it.",
    place: (host: string) => `Enter it on ${host} only, and do not share it. We never ask for it.`,
    notYou: "If you did not ask for this code, ignore this mail. Nothing has changed.",
  },
  invitation: {
    subject: (service: string) => `An invitation to ${service}`,
    invited: (host: string) =>
      `You are invited to create an account at ${host}, with this address and a passkey. Open this link:`,
    until: (time: string) => `It works once, until ${time}.`,
    unknown: "If you did not expect it, ignore this mail. Nothing happens unless you open the link.",
  },
  newDevice: {
    subject: "New sign-in to your account",
    event: (place: string) => `There was a sign-in to your account from a new device: ${place}.`,
    next: "If this was you, there is nothing to do. If not, end the session and check your passkeys:",
  },
  administrator: {
    subject: "The administrator changed your account",
    acts: {
      passkey_removed: (name: string) =>
        `The administrator of this service removed the passkey "${name}" from your account.`,
      access_ended: (name: string) =>
        `The administrator of this service ended the access of the application "${name}" to your account.`,
      account_disabled: (_name: string) =>
        "The administrator of this service disabled your account. You cannot sign in, and programs and applications cannot use it. Its keys stay unchanged.",
      account_enabled: (_name: string) =>
        "The administrator of this service enabled your account. You can sign in again.",
      sessions_ended: (_name: string) =>
        "The administrator of this service ended all sessions of your account. Sign in with a passkey to go on.",
      group_joined: (name: string) =>
        `The administrator of this service added your account to the group "${name}".`,
      group_left: (name: string) =>
        `The administrator of this service removed your account from the group "${name}".`,
    },
    ask: "If you did not expect this, ask the administrator.",
    activity: "Your activity shows every such act:",
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
    next: "If this was not you, check your passkeys and sessions:",
  },
  /** Keyed by policy event. */
  policy: {
    tightened: {
      subject: "A key's policy was set",
      event: (label) => `The policy of the key "${label}" was set or tightened`,
      heading: "From now on it signs only:",
      next: "If this was not you, end the session that did it, and check your passkeys:",
    } as Wording,
    loosened: {
      subject: "A key's policy was loosened",
      event: (label) => `The key "${label}" may sign more from now on`,
      heading: "It signs:",
      next: UNDO,
    } as Wording,
    asked: {
      subject: "A key's policy will be loosened",
      event: (label, at) => `The key "${label}" may sign more from ${at} on`,
      heading: "From then on it signs:",
      next: "If this was not you, cancel it there before then, and check your passkeys and sessions:",
    } as Wording,
    cancelled: {
      subject: "A key's policy stays as it is",
      event: (label) => `The pending change of the policy of the key "${label}" was cancelled`,
      heading: undefined,
      next: "The key's page shows what it signs:",
    } as Wording,
    took_effect: {
      subject: "A looser policy of a key took effect",
      event: (label) => `The key "${label}" may sign more now: the pending change has taken effect`,
      heading: "It signs:",
      next: UNDO,
    } as Wording,
    anything: "Anything that you ask for, or a program or application with access to the key.",
  },
  /** Keyed by recovery event. */
  recovery: {
    begun: {
      subject: "A recovery of your account was begun",
      event: (place: string, readyAt: string) => [
        `A recovery of your account was begun: ${place}.`,
        `From ${readyAt} on, the person who began it can create a new passkey for your account. All old passkeys are removed then, and every session, token and application is signed out.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    waits: {
      subject: "A recovery of your account is pending",
      event: (place: string, readyAt: string) => [
        `A recovery of your account is pending. It was begun from ${place}.`,
        `From ${readyAt} on, the person who began it can create a new passkey for your account.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    ready: {
      subject: "Your account can be recovered now",
      event: (place: string, _readyAt: string) => [
        `The delay of the recovery of your account that was begun from ${place} has passed. The person who began it can now create a new passkey for your account.`,
        "If this is you, open “Lost your passkey?” in the browser that you began it in.",
      ],
      next: CANCEL,
    },
    cancelled: {
      subject: "A recovery of your account was cancelled",
      event: (place: string, _readyAt: string) => [
        `The pending recovery of your account was cancelled: ${place}.`,
      ],
      next: LOOK,
    },
    lapsed: {
      subject: "A recovery of your account has expired",
      event: (place: string, _readyAt: string) => [
        `The recovery of your account that was begun from ${place} was not finished in time and has expired.`,
      ],
      next: "Your account has not changed:",
    },
    finished: {
      subject: "Your account was recovered",
      event: (place: string, _readyAt: string) => [
        `Your account was recovered: ${place}.`,
        "It has a new passkey. All old passkeys were removed, and every session, token and application was signed out. What your keys may sign has not changed and cannot be loosened for seven days.",
      ],
      next: "If this was not you, contact the operator of the service at once:",
    },
    codesMade: {
      subject: "Recovery codes were created",
      event: (place: string, _readyAt: string) => [
        `New recovery codes were created for your account: ${place}.`,
        "The previous codes no longer work.",
      ],
      next: LOOK,
    },
    choicesChanged: {
      subject: "The recovery settings of your account were changed",
      event: (
        place: string,
        _readyAt: string,
      ) => [`The requirements for a recovery of your account were changed: ${place}.`],
      next: LOOK,
    },
    delay: (hours: number) => `The delay of a recovery is ${hours} hours.`,
    alone: "A code from your mailbox is enough to begin one.",
    notAlone: "Beginning one requires a recovery code and a code from your mailbox.",
    code: {
      subject: (service: string) => `Your ${service} code for a lost passkey`,
      code: (service: string, host: string) =>
        `A code for a lost passkey at ${service} (${host}) was requested for this address. The code is`,
      once:
        "It works once, within 5 minutes, in the browser that asked for it. By itself it gives no access to an account.",
      place: (host: string) => `Enter it on ${host} only, and do not share it. We never ask for it.`,
      notYou: "If you did not ask for this code, ignore this mail. Nothing has changed.",
    },
  },
  signature: {
    subject: "A signature needs your approval",
    event: (requester: string, key: string, place: string) =>
      `"${requester}" asks for a signature with your key "${key}": ${place}.`,
    approve: "Nothing is signed unless you approve it with a passkey within the hour:",
    all: "All pending requests, including new ones in the next minutes:",
  },
  refusals: {
    subject: "A program was refused many signatures",
    event:
      "Within an hour, your policies refused 100 or more signatures to programs or applications. Nothing of it was signed. Your activity names the program and the rule:",
    revoke: "If you did not expect this, revoke the program's token, or stop all programs, here:",
  },
  token: {
    subject: "A token for a program was created",
    event: (name: string, place: string) => `The token "${name}" was created: ${place}.`,
    allKeys: "all your keys",
    keys: (count: number) => count === 1 ? "one key" : `${count} keys`,
    actions: { read: "read", sign: "sign", create: "create" } as Readonly<Record<string, string>>,
    rights: (keys: string, actions: string, end: string) =>
      `With it a program may use ${keys} (${actions}) until ${end}.`,
    next: "If this was not you, revoke it and check your passkeys and sessions:",
  },
};
