import { type Html, html, type HtmlValue } from "../../lib/html.ts";

export const en = {
  signIn: {
    title: "Sign in",
    introduction: "Use the passkey of your account.",
    confirmed: (provider: string) =>
      `${provider} has confirmed who you are. Now use the passkey of your account.`,
    addressTaken: (provider: string) =>
      `Your e-mail address at ${provider} already belongs to an account here. The two are not linked. Sign in with the passkey of that account.`,
    notYours: "Not your account?",
    otherMethod: "Sign in another way",
    shared: "This is a shared computer",
    stays: (hours: number) =>
      `You stay signed in for ${
        hours >= 48 && hours % 24 === 0 ? `${hours / 24} days` : hours === 1 ? "1 hour" : `${hours} hours`
      }. On a shared computer, until you close the browser or for an hour without use.`,
    lostPasskey: "Lost your passkey?",
    noAccount: "No account yet?",
    makeAccount: "Create an account",
    button: "Sign in with a passkey",
    suggestions: "Or pick a passkey that your browser suggests",
    emailAddress: "E-mail address",
  },
  signUp: {
    title: "Create an account",
    steps: "Steps",
    email: "E-mail",
    code: "Code",
    passkey: "Passkey",
    emailAddress: "E-mail address",
    emailHint: "We send a code to it. It never signs you in by itself.",
    sendCode: "Send the code",
    yourAddress: "your address",
    codeHint: (address: HtmlValue) =>
      html`Six digits, sent to ${address}. They work for five minutes, in this browser only.`,
    development: (open: (text: string) => HtmlValue) =>
      html`Development: no mail is sent. ${open("Open the outbox")} to read the code.`,
    checkCode: "Check the code",
    otherAddress: "Use another address",
    resend: "Send a new code",
    makePasskey:
      "Now create a passkey. Your device asks for your fingerprint, your face or its PIN, and stores the passkey. Your first key is created with it.",
    make: "Create a passkey",
    accountExists: "This address already has an account. Sign in with the passkey that belongs to it.",
    signIn: "Sign in",
    confirmed: (address: HtmlValue) => html`Your address is confirmed: ${address}.`,
    haveAccount: "Have an account already?",
    identity: {
      confirmedAs: (provider: string, email: HtmlValue) =>
        html`${provider} has confirmed that you are ${email}.`,
      confirmed: (provider: string, name: HtmlValue | undefined) =>
        html`${provider} has confirmed who you are${name !== undefined && html`: ${name}`}.`,
      noAddress:
        "It did not confirm an e-mail address, so your account will have none. This service cannot send you mails.",
      fromNowOn: (provider: string) =>
        `From now on you sign in with the passkey. ${provider} alone never opens your account.`,
      alternative: "Start again another way",
    },
  },
  /** Shown above the first step of a sign-up with an invitation. */
  invited: {
    anyone: "You are invited to create an account here.",
    address: (email: Html) => html`You are invited to create an account here, with the address ${email}.`,
  },
  /** Shown to a visitor who may not create an account. */
  uninvited: {
    titles: {
      closed: "No new accounts",
      uninvited: "By invitation only",
      over: "This invitation is no longer valid",
      other_address: "This invitation is for another address",
    },
    reasons: {
      closed: "This service does not accept new accounts. Its operator can change that.",
      uninvited:
        "You need an invitation to create an account here. If you have a link, open it again in this browser. If not, ask the operator of this service for one.",
      over:
        "It was used, was withdrawn or has expired. Ask the sender for a new one. Nothing has changed here.",
      other_address:
        "It is for another e-mail address than yours. Use that address, or ask the sender for another invitation.",
    },
    identified: (provider: Html) =>
      html`${provider} has confirmed who you are, but no account here belongs to you yet.`,
    signIn: "Sign in",
    signInHint: "If you already have an account, sign in with its passkey.",
  },
  home: {
    title: "Ethereum keys you can hold on to",
    lead: (service: string) =>
      `${service} creates Ethereum keys for you and keeps them in a vault on this server. You sign in with a passkey: there is no password and no seed phrase to lose. Before a key signs anything, you see what the signature means.`,
    makeAccount: "Create an account",
    signIn: "Sign in",
  },
  signedOut: {
    title: "Signed out",
    heading: "You are signed out",
    gone: "The session was ended on the server too. Your keys stay where they are.",
    signInAgain: "Sign in again",
    home: "Home",
  },
  scripts: {
    "sent-code": {
      tried: {
        one: "This code was tried {count} time and no longer works. Send a new one.",
        other: "This code was tried {count} times and no longer works. Send a new one.",
      },
      tooOld: "This code has expired. Send a new one.",
    },
    "sign-in": {
      removed:
        "This passkey was removed from its account. Use another one, and delete this one from your device or password manager.",
    },
    "sign-up": {
      askedForCode: "Step 2 of 3: we sent a code to {address}.",
      askedAgain: "We sent a new code to {address}. The old one no longer works.",
      sixDigits: "The code has six digits.",
      atAddress: "Step 1 of 3: your e-mail address.",
      atPasskey: "Step 3 of 3: your address is confirmed.",
      accountExists: "This address already has an account.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
