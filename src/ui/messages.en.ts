import { html } from "../lib/html.ts";
import type { HtmlValue } from "../lib/html.ts";
import type { ProblemCode, WayBack } from "../lib/error.ts";
import { LOCALES } from "../lib/language.ts";

/** What a problem says of itself. */
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
 * Every catalogue of pages has two files, `<feature>.en.ts` and `<feature>.de.ts`, and each exports one object of texts
 * and of functions that return texts, or `Html` where the markup is inside the sentence. English is written first and its
 * type is the type of German: a missing German message does not compile. A page reads its own feature's catalogue by
 * `messagesIn(language, { en, de })`.
 * `scripts` holds the messages of browser modules, by the names of the modules. They are texts with `{places}` only,
 * because they are sent to the browser as data before the script. `words.client.js` reads them there.
 * Mails, policies and clear signing have catalogues of their own by the same rules: their folders stand lower.
 */
export const en = {
  /** What stands around every page. */
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
  /** What several pages say. */
  parts: {
    today: "Today",
    yesterday: "Yesterday",
    copy: "Copy",
    /** What a screen reader says after it. */
    copyWhat: (what: string) => ` ${what}`,
    needsScript:
      "Passkeys and signing work through this page’s own scripts. Turn JavaScript on to use them; reading and signing out work without.",
    or: "or",
    continueWith: "Continue with",
  },
  /** The page of a problem. */
  error: {
    error: "Error",
    /** Problems are written in English: here they say themselves what is wrong. */
    problem: (_code: ProblemCode, said: Said): Said => said,
    details: "Details",
    /** Stands before the service's own sentence where that is in another language. */
    said: "",
    requestNumber: "When you ask for help, say this request’s number:",
    waysBack: {
      home: "Home",
      consent: "Choose again",
      sign_in: "Back to sign-in",
      account: "Back to your account",
    } as Readonly<Record<WayBack["to"], string>>,
  },
  /** The administrator's pages. */
  admin: {
    administration: "Administration",
    applications: "Applications",
    accounts: "Accounts",
    invitations: "Invitations",
    leave: "Leave",
    more: "Next page",
    search: "Search",
    /** What is wrong with a field, by the service's own sentence, where that is written in another language. */
    faults: {} as Readonly<Record<string, string>>,
  },
  outbox: {
    title: "Development outbox",
    lead:
      "In development no mail is sent: what would have been is shown here, newest first. Load the page again to see what has come since.",
    to: "To",
    none: "No mail yet.",
  },
  /** What every application gets to see of a person. */
  shared: {
    yourName: (name: string) => `Your name: ${name}`,
    yourEmail: (email: string) => `Your e-mail address: ${email}`,
    accountId: "The id of your account",
  },
  /** What would be signed, as the server draws it for the page of a key. */
  review: {
    allFields: "All fields",
    digest: "Digest",
    anyway: "I have read what is marked as danger above, and want this signature all the same",
    quoted: (text: HtmlValue) => html`“${text}”`,
  },
  /** The names of the account's further pages. */
  accountPages: {
    recovery: "If you lose your passkey",
    settings: "Account settings",
  },
  /** What is shown of what would be signed. */
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
    /** What a message of each kind is called. */
    messages: {
      personal_sign: "This text",
      personal_bytes: "A message of these bytes",
      raw: "The Keccak-256 hash of these bytes, blind",
      digest: "These 32 bytes as they are, blind",
    },
    digest: "Digest",
  },
  intent: {
    /** What a level is called, so that it does not hang on a colour. */
    levels: { red: "Danger", amber: "Take note" },
    recognisedBy: "Recognised by:",
  },
  /** By the names of the browser modules. */
  scripts: {
    "approval": { confirm: "Confirm with a passkey that you want this signature." },
    /** What scripts of several pages say. */
    "dom": { copied: "Copied", selected: "Selected" },
    /** What went wrong, for whoever is at the browser. */
    "failure": {
      /** By the code of a problem whose own sentence is not written for people. */
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
        /** No problem document came: something between here and the service answered. */
        unknown: "The service answered with an error. Try again in a moment.",
        internal_error: "Something went wrong on the server. Nothing was signed. Try again in a moment.",
      } as Readonly<Record<string, string>>,
      /** What is wrong with a field, by the service's own sentence, where that is written in another language. */
      faults: {} as Readonly<Record<string, string>>,
      /** Stands before the service's own sentence where that is in another language. */
      said: "",
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
    /** What a browser's refusal means, by its name and the ceremony. */
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
      /** What is to be written for each kind. */
      labels: {
        personal_sign: "Message",
        typed_data: "Typed data as JSON",
        transaction: "Transaction as JSON, or unsigned as 0x and hex",
        authorization: "Authorization as JSON",
        personal_bytes: "Bytes of the message as 0x and hex",
        raw: "Bytes as 0x and hex",
        digest: "Digest as 0x and 64 hex digits",
      },
      /** What comes of signing, and what is said of it to whoever copies it without seeing it. */
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
    /** How times are written. */
    "times": { locale: LOCALES.en },
    "unsent": {
      ended: "Your session had ended, so nothing was done.",
      restored: "Your session had ended, so nothing was done. What you had written is still here.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  /** The messages of browser modules, by their names. */
  interface ScriptMessages extends Scripts {}
}
