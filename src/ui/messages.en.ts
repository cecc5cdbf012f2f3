import { html, type HtmlValue } from "../lib/html.ts";
import type { ProblemCode, ReturnLink } from "../lib/error.ts";
import { LOCALES } from "../lib/language.ts";

interface Said {
  readonly title: string;
  readonly detail: string;
}

type SignedValue = "serializedTransaction" | "transactionHash" | "authorization" | "signature" | "digest";

const UNUSABLE = "This passkey cannot be used just now. Load the page again and try once more.";

const NOT_HERE = "The browser allows no passkey at this address. Open the site at its own name, over https.";

const CANNOT_USE = "This device cannot use passkeys. Try another device or a security key.";

const CANNOT_CHECK = "This device cannot check that it is you. Set up a screen lock, or use another device.";

/**
 * The messages that several features share.
 *
 * Every page catalogue has two files, `<feature>.en.ts` and `<feature>.de.ts`. Each exports one object of texts and of
 * functions that return texts, or `Html` if a sentence contains markup. The type of English is the type of German, so
 * that a missing German message does not compile. A page reads its feature's catalogue with `messagesIn`.
 * `scripts` holds the messages of browser modules, by module name. They are texts with `{places}` only, because they
 * are sent as data before the script. `messages.client.js` reads them.
 * Mails, policies and clear signing have separate catalogues with the same rules, because they are in lower layers.
 */
export const en = {
  layout: {
    development:
      html`<strong>Development:</strong> simulated TEE. Whoever runs this machine can read the keys.`,
    places: "Places",
    keys: "Keys",
    requests: "Requests",
    activity: "Activity",
    developer: "Developer",
    menu: "Menu",
    signedInAs: "Signed in as",
    account: "Account",
    signOut: "Sign out",
    skip: "Skip to content",
    footer:
      "Holdfast keeps Ethereum keys on its owner’s own server. This page loads nothing from anywhere else.",
  },
  parts: {
    today: "Today",
    yesterday: "Yesterday",
    copy: "Copy",
    /** Read by screen readers after `copy`. */
    copyWhat: (what: string) => ` ${what}`,
    needsScript:
      "Passkeys and signing work through this page’s own scripts. Turn JavaScript on to use them; reading and signing out work without.",
    or: "or",
    continueWith: "Continue with",
  },
  error: {
    error: "Error",
    /** English pages show the problem's own text. */
    problem: (_code: ProblemCode, serverSays: Said): Said => serverSays,
    details: "Details",
    /** Precedes the service's own sentence if that is in another language. */
    serverSays: "",
    requestNumber: "When you ask for help, say this request’s number:",
    returnLinks: {
      home: "Home",
      consent: "Choose again",
      sign_in: "Back to sign-in",
      account: "Back to your account",
    } as Readonly<Record<ReturnLink["to"], string>>,
  },
  admin: {
    administration: "Administration",
    applications: "Applications",
    accounts: "Accounts",
    invitations: "Invitations",
    leave: "Leave",
    more: "Next page",
    search: "Search",
    /** Field faults by the service's own sentence, on pages in another language. */
    faults: {} as Readonly<Record<string, string>>,
  },
  outbox: {
    title: "Development outbox",
    lead:
      "In development no mail is sent: what would have been is shown here, newest first. Load the page again to see what has come since.",
    to: "To",
    none: "No mail yet.",
  },
  /** The user's data that every application receives. */
  shared: {
    yourName: (name: string) => `Your name: ${name}`,
    yourEmail: (email: string) => `Your e-mail address: ${email}`,
    accountId: "The id of your account",
  },
  /** The review of a signature on a key's page, rendered by the server. */
  review: {
    allFields: "All fields",
    digest: "Digest",
    anyway: "I have read what is marked as danger above, and want this signature all the same",
    quoted: (text: HtmlValue) => html`“${text}”`,
  },
  accountPages: {
    recovery: "If you lose your passkey",
    settings: "Account settings",
  },
  explanation: {
    empty: "empty",
    absent: "absent",
    none: "none",
    nothing: "Nothing",
    number: "No. {number}",
    showAll: "Show all {count}",
    forApplication: "For the application",
    typeAndHashes: "Type and hashes",
    type: "Type",
    domainSeparator: "Domain separator",
    messageHash: "Hash of the message",
    transaction: "Transaction",
    bytesAndCost: "Bytes and cost",
    unsigned: "Unsigned bytes",
    gasMost: "Most that gas can cost, in wei",
    authorization: "Authorization",
    messages: {
      personal_sign: "This text",
      personal_bytes: "A message of these bytes",
      raw: "The Keccak-256 hash of these bytes, blind",
      digest: "These 32 bytes as they are, blind",
    },
    digest: "Digest",
  },
  intent: {
    /** Names of the warning levels, so that the meaning does not depend on a colour. */
    levels: { red: "Danger", amber: "Take note" },
    recognisedBy: "Recognised by:",
  },
  scripts: {
    "approval": { confirm: "Confirm with a passkey that you want this signature." },
    "dom": { copied: "Copied", selected: "Selected" },
    "failure": {
      /** Sentences by problem code, if the problem's own is not written for users. */
      problems: {
        invalid_code: "That code is not right, or no longer works. Check it, or ask for a new one.",
        invalid_passkey:
          "The passkey was not accepted. It may belong to another account or have been removed; try again.",
        invalid_passkey_registration: "The new passkey was not accepted. Try again.",
        authentication_required: "That took too long, so it has to start again. Load the page again.",
        account_disabled: "This account is disabled. Ask whoever runs this service.",
        invitation_required:
          "An account here takes an invitation, and yours is for another address or over. Open the link you were sent once more, or ask for another.",
        sign_up_closed: "This service takes no new accounts.",
        account_exists: "There is an account already, made in the meantime. Sign in instead.",
        cross_site_request:
          "The browser says that this came from another site, so it was refused. Load the page again.",
        recovery_refused:
          "No account can be recovered with these codes. Check the recovery code; without one it works only where the account allows it.",
        recovery_waiting: "A recovery of this account waits already. The mails about it can cancel it.",
        recovery_in_browser:
          "Another account’s recovery waits in this browser, which can finish one alone. Begin this one in another browser.",
        recovery_not_ready: "The recovery still waits. Come back when its time has come.",
        recently_recovered: "The account was recovered lately: for some days nothing of it can be loosened.",
        /** The response was no problem document: a proxy in between responded. */
        unknown: "The service answered with an error. Try again in a moment.",
        internal_error: "Something went wrong on the server. Nothing was signed. Try again in a moment.",
      } as Readonly<Record<string, string>>,
      /** Field faults by the service's own sentence, on pages in another language. */
      faults: {} as Readonly<Record<string, string>>,
      /** Precedes the service's own sentence if that is in another language. */
      serverSays: "",
      tooOftenSeconds: {
        one: "That was too often. Try again in {count} second.",
        other: "That was too often. Try again in {count} seconds.",
      },
      tooOftenMinutes: {
        one: "That was too often. Try again in {count} minute.",
        other: "That was too often. Try again in {count} minutes.",
      },
      noAnswer: "The service did not answer in time. Try again.",
      notReached: "The service cannot be reached. Check your connection and try again.",
      ours: "Something went wrong in this page. Load it again.",
      at: "At",
      request: "Request",
      details: "Details",
    },
    /** The meaning of a browser's refusal, by its name and the ceremony. */
    "passkey": {
      refusals: {
        NotAllowedError: {
          create:
            "No passkey was made: it was cancelled or took too long. Nothing has changed; try again when you are ready.",
          get:
            "You are not signed in: it was cancelled, took too long, or this device has no passkey for this site.",
          confirm:
            "Nothing was done: confirming was cancelled, took too long, or this device has no passkey of your account. All is as it was; try again when you are ready.",
        },
        InvalidStateError: {
          create:
            "You already have a passkey of this account here. To add another one, choose another device or a security key.",
          get: UNUSABLE,
          confirm: UNUSABLE,
        },
        SecurityError: { create: NOT_HERE, get: NOT_HERE, confirm: NOT_HERE },
        NotSupportedError: {
          create:
            "This device cannot make a passkey of a kind that is accepted here. Try another device or a security key.",
          get: CANNOT_USE,
          confirm: CANNOT_USE,
        },
        ConstraintError: { create: CANNOT_CHECK, get: CANNOT_CHECK, confirm: CANNOT_CHECK },
      },
      overtaken:
        "No passkey was made: in another tab another account was begun meanwhile. Load the page again to see which.",
      noSupport: "This browser cannot use passkeys. Bring it up to date, or use another browser or device.",
      unknown: "The passkey did not work. Try again, or use another browser or device.",
    },
    "sign-request": {
      labels: {
        personal_sign: "Message",
        typed_data: "Typed data as JSON",
        transaction: "Transaction as JSON, or unsigned as 0x and hex",
        authorization: "Authorization as JSON",
        personal_bytes: "Bytes of the message as 0x and hex",
        raw: "Bytes as 0x and hex",
        digest: "Digest as 0x and 64 hex digits",
      },
      /** The results of signing: the label, and the name that screen readers read on the copy button. */
      values: {
        serializedTransaction: ["Signed transaction", "the signed transaction"],
        transactionHash: ["Transaction hash", "the transaction hash"],
        authorization: ["Signed authorization", "the signed authorization"],
        signature: ["Signature", "the signature"],
        digest: ["Digest", "the digest"],
      } as Readonly<Record<SignedValue, readonly [name: string, whenCopied: string]>>,
    },
    "step-up": {
      confirm: "You signed in more than ten minutes ago: confirm with a passkey that you have.",
    },
    "times": { locale: LOCALES.en },
    "unsent": {
      ended: "Your session had ended, so nothing was done.",
      restored: "Your session had ended, so nothing was done. What you had written is still here.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
